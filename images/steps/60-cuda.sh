#!/usr/bin/env bash
# CUDA's runtime and NCCL, in the version of the transport's set
# needs: cloud

# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
apt-get install -y -qq --no-install-recommends "cuda-cudart-$cuda_version" >/dev/null
if [ -n "$nccl_version" ]; then
  apt-get install -y -qq --no-install-recommends "libnccl2=$nccl_version" >/dev/null
  # An upgrade would break the set.
  apt-mark hold libnccl2 >/dev/null
fi
