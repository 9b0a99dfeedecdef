# shellcheck shell=bash disable=SC2034  # read by the steps
# The versions that go together in an image, each with its source. A transport's plugin, daemon and NCCL are one set: other
# combinations crash, hang or fall back to sockets.

# From Debian, in its release's versions: Slurm, munge, Open MPI.

# The driver with open kernel modules, and its CUDA. 580 is the first branch that supports CUDA 13.0, and the oldest
# that NVIDIA provides for Debian 13: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
driver_branch=580
cuda_version=13-0

# NVIDIA's archive for Debian: https://docs.nvidia.com/cuda/cuda-installation-guide-linux/
nvidia_archive=https://developer.download.nvidia.com/compute/cuda/repos

# NCCL from that archive; the plugins' containers bring the NCCL that they are built for.
nccl_version=

case ${transport:=socket} in
  tcpxo) # a3-megagpu-8g: https://cloud.google.com/cluster-toolkit/docs/machine-learning/a3-mega-enable-gpudirect-tcpxo
    # Plugin 1.0.17, RxDM 1.0.23 and NCCL 2.28.7: README of GoogleCloudPlatform/container-engine-accelerators, gpudirect-tcpxo
    registry=us-docker.pkg.dev
    plugin_container=$registry/gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.17
    daemon_container=$registry/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.23
    plugin_folder=/var/lib/tcpxo/lib64
    ;;
  tcpx) # a3-highgpu-8g: GoogleCloudPlatform/slurm-gcp tools/prologs-epilogs/receive-data-path-manager
    # This plugin is for NCCL 2.19.4.
    registry=us-docker.pkg.dev
    plugin_container=$registry/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.9-2.19.4-12.0
    daemon_container=$registry/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.12
    plugin_folder=/var/lib/tcpx/lib64
    ;;
  gib) # a3-ultragpu-8g, a4-highgpu-8g: cluster-toolkit examples/machine-learning/a3-ultragpu-8g, nccl-gib=1.1.0
    registry=us-docker.pkg.dev
    plugin_container=$registry/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.0
    daemon_container=
    plugin_folder=/usr/local/gib/lib64
    ;;
  socket) # every machine
    nccl_version=2.28.7-1+cuda13.0 # with CUDA 13, as the archive names its packages
    plugin_container=
    daemon_container=
    plugin_folder=
    ;;
  *)
    echo "unknown transport \`$transport\`; known: tcpxo, tcpx, gib, socket" >&2
    exit 2
    ;;
esac
