#!/usr/bin/env bash
# the CUDA runtime and NCCL, in the transport's versions
# needs: cloud

# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
apt-get install -y -qq --no-install-recommends "cuda-cudart-$cuda_version" >/dev/null
if [ -n "$nccl_version" ]; then
  apt-get install -y -qq --no-install-recommends "libnccl2=$nccl_version" >/dev/null
  # An upgrade would break the combination.
  apt-mark hold libnccl2 >/dev/null
fi
