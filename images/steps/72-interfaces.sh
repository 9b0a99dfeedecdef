#!/usr/bin/env bash
# what a transport's daemon needs of the GPUs' network interfaces: kernel modules, device files, their topology
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"

# GPUDirect-TCPXO: slurm-gcp tools/prologs-epilogs/receive-data-path-manager-mega, Cluster Toolkit a3-megagpu-8g
tcpxo() {
  local kernel_version source=/usr/src/dmabuf-import-helper-$dmabuf_version
  kernel_version=$(kernel_that_boots)
  add_archive artifact-transport "$google_archive/apt/doc/apt-key.gpg" "$google_archive/apt" \
    apt-transport-artifact-registry-stable main
  apt_install apt-transport-artifact-registry dkms zstd "linux-headers-$kernel_version"
  # ar+https is the transport of that package.
  add_archive artifact "$artifact_archive/doc/repo-signing-key.gpg" \
    "${artifact_archive/#https:/ar+https:}/projects/gce-ai-infra" gpudirect-tcpxo-apt main
  # The package builds the module when it is installed; its source lacks the quotes that kernels want since 6.13.
  (cd "$(mktemp -d)" && apt-get download -qq "dmabuf-import-helper=$dmabuf_version" && dpkg-deb --extract ./*.deb / && rm ./*.deb)
  if [ "$(printf '%s\n' 6.13 "$kernel_version" | sort -V | head -n 1)" = 6.13 ]; then
    sed -i 's/MODULE_IMPORT_NS(DMA_BUF)/MODULE_IMPORT_NS("DMA_BUF")/' "$source/import-helper.c"
  fi
  dkms install -m dmabuf-import-helper -v "$dmabuf_version" -k "$kernel_version" --force >/dev/null
  echo import-helper >/etc/modules-load.d/slipway-tcpxo.conf

  # The daemon and the plugin reach the interfaces' memory through files of PCI devices 1ae0:0084. udev has a mount
  # namespace of its own, so it asks systemd to mount.
  cat >/etc/udev/rules.d/60-slipway-aperture.rules <<'RULES'
ACTION=="add", SUBSYSTEM=="pci", ATTR{vendor}=="0x1ae0", ATTR{device}=="0x0084", TAG+="systemd", \
  RUN+="/bin/sh -c 'chmod 0666 %S%p/resource*'", \
  RUN+="/bin/mkdir -p --mode=0755 /dev/aperture_devices", \
  RUN+="/usr/bin/systemd-mount --no-block --collect --type=none --options=bind %S%p /dev/aperture_devices/%k"
RULES
}

# GPUDirect-TCPX: which queues of which interface belong to a GPU. Cluster Toolkit a3-highgpu-8g
tcpx() {
  local interface nic first second
  mkdir -p /opt/tcpdirect_benchmark
  while read -r interface nic first second; do
    printf 'gpu_rxq_configs {\n'
    printf '  gpu_infos { gpu_pci_addr: "0000:%s:00.0"%s }\n' "$first" "$(printf ' queue_ids: %s' {8..11})" \
      "$second" "$(printf ' queue_ids: %s' {12..15})"
    printf '  nic_pci_addr: "0000:%s:00.0"\n  ifname: "%s"\n}\n' "$nic" "$interface"
  done >/opt/tcpdirect_benchmark/gpu_rxq_configuration.textproto <<'TOPOLOGY'
enp6s0 06 04 05
enp12s0 0c 0a 0b
enp134s0 86 84 85
enp140s0 8c 8a 8b
TOPOLOGY
  printf 'rss_set_size: 8\ntcpd_queue_size: 8\nmax_rx_rules: 100000\n' >>/opt/tcpdirect_benchmark/gpu_rxq_configuration.textproto
  # GoogleCloudPlatform/container-engine-accelerators, gpudirect-tcpx: data in GPU memory needs larger control messages.
  echo 'net.core.optmem_max = 131072' >/etc/sysctl.d/61-slipway-tcpx.conf
}

# RoCE: the drivers are in the base's kernel. The tools show the devices.
gib() { apt_install ibverbs-utils rdma-core; }

case ${transport:?} in
  tcpxo | tcpx | gib) "$transport" ;;
  *) echo "    transport $transport needs nothing of them" ;;
esac
