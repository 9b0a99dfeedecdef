# shellcheck shell=bash disable=SC2034  # read by the steps
# The versions that go together in an image, each with its source. A transport's plugin, daemon and NCCL are one set: other
# combinations crash, hang or fall back to sockets.

# From the release itself, in its versions: Slurm, munge, Open MPI, Docker, and on Ubuntu the driver.

# Archives, and what replaces them where they cannot be reached: a mirror has the same folders below its address.
nvidia_archive=${nvidia_archive:-https://developer.download.nvidia.com/compute/cuda/repos}
google_archive=${google_archive:-https://packages.cloud.google.com}
artifact_archive=${artifact_archive:-https://us-apt.pkg.dev}
tcpx_archive=${tcpx_archive:-https://private-ppa.launchpadcontent.net/canonical-kernel-gcp-tcpx/release/ubuntu}
github_mirror=${github_mirror:-https://github.com}
key_archive=${key_archive:-https://keyserver.ubuntu.com}
registry_mirror=${registry_mirror:-us-docker.pkg.dev}

# The driver with open kernel modules, and its CUDA: the branch of the accelerator images in images.yaml. 580 is the first
# branch that supports CUDA 13.0: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
driver_branch=580
cuda_version=13-0

# Cluster Toolkit, examples/machine-learning/a3-highgpu-8g/a3high-slurm-tcpxo-blueprint.yaml: DCGM with CUDA 13
dcgm_version=1:4.6.0-1

# In the accelerator image v20260820. 1.17.7 is broken: Cluster Toolkit v1.95, a3-ultragpu-8g
container_toolkit_version='1.20.*'

# Slurm's jobs mount buckets with profiles, which came with 3: Cluster Toolkit v1.95, a3-ultragpu-8g
gcsfuse_version='3.*'

# https://cloud.google.com/stackdriver/docs/solutions/agents/ops-agent/installation, "pin the major version"
ops_agent_version='2.*'

# Cluster Toolkit, examples/machine-learning/a3-highgpu-8g/a3high-slurm-tcpxo-blueprint.yaml
dmabuf_version=1.1

# enroot and pyxis, for --containers pyxis. Tags can move, so what is built is the commit. enroot's is known by its beginning
# only: no protection against a mirror that wants to harm you; put the whole commit here if you have it.
enroot_version=${enroot_version:-v4.1.2}
enroot_commit=${enroot_commit:-8ea147d}
pyxis_version=${pyxis_version:-v0.24.0}
pyxis_commit=${pyxis_commit:-107519944221822ea1dace4db8e7234b2eaa4cd5}
# Arguments of pyxis in plugstack.conf, such as `use_squashfuse=1 container_scope=job`
pyxis_arguments=${pyxis_arguments:-}

# NCCL from NVIDIA's archive; the plugins' containers bring the NCCL that they are built for.
nccl_version=
# The libraries that the plugin's container installs are in `plugin_folder`; the container writes them to `plugin_inside`.
plugin_inside=
registry=us-docker.pkg.dev

case ${transport:=socket}-${architecture:=amd64} in
  tcpxo-amd64) # a3-megagpu-8g: https://cloud.google.com/cluster-toolkit/docs/machine-learning/a3-mega-enable-gpudirect-tcpxo
    # Plugin 1.0.17, RxDM 1.0.23 and NCCL 2.28.7: README of GoogleCloudPlatform/container-engine-accelerators, gpudirect-tcpxo
    plugin_container=$registry/gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.17
    daemon_container=$registry/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.23
    plugin_folder=/var/lib/tcpxo/lib64
    ;;
  tcpx-amd64) # a3-highgpu-8g: GoogleCloudPlatform/slurm-gcp tools/prologs-epilogs/receive-data-path-manager
    # This plugin is for NCCL 2.19.4.
    plugin_container=$registry/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.9-2.19.4-12.0
    daemon_container=$registry/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.12
    plugin_folder=/var/lib/tcpx/lib64
    ;;
  gib-amd64) # a3-ultragpu-8g, a4-highgpu-8g: cluster-toolkit examples/machine-learning/a3-ultragpu-8g, nccl-gib=1.1.0
    plugin_container=$registry/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.0
    daemon_container=
    plugin_folder=/usr/local/gib/lib64
    # GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma/nccl-rdma-installer.yaml
    plugin_inside=/var/lib/gib
    ;;
  gib-arm64) # a4x-highgpu-4g: cluster-toolkit examples/machine-learning/a4x-highgpu-4g, nccl_plugin_version
    plugin_container=$registry/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-arm64:v1.0.6
    daemon_container=
    plugin_folder=/usr/local/gib/lib64
    plugin_inside=/var/lib/gib
    ;;
  socket-*) # every machine
    nccl_version=2.28.7-1+cuda13.0 # with CUDA 13, as the archive names its packages
    plugin_container=
    daemon_container=
    plugin_folder=
    ;;
  *)
    echo "there is no software for the transport $transport on $architecture machines" >&2
    exit 2
    ;;
esac
plugin_inside=${plugin_inside:-${plugin_folder%/*}}
