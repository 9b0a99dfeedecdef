#!/usr/bin/env bash
# Asks the GPUs of this machine everything that only a GPU can answer, in less than an hour, and ends with a table and a
# file with the same as JSON. Nothing is changed: no settings, no drivers, no jobs of others.
#
#   tests/gpu/run.sh                        the programs of build/, or of --programs
#   tests/gpu/run.sh --libraries FOLDER     where libnccl.so.2 is, if it is not in a usual place
#   tests/gpu/run.sh --beside FOLDER        NVIDIA's nccl-tests to compare with; by default, those that PATH finds
#   tests/gpu/run.sh --stand-ins build/tests/fakes --size 4K   without a GPU: tests this script, and says so
#   tests/gpu/run.sh --help                 all options
#
# It needs python3, bash, NVIDIA's driver with nvidia-smi, CUDA's runtime, and a build of Slipway; no root, no Slurm. Without
# NCCL, it asks only what the kernels that check data answer. The file of answers is complete after every question.
set -euo pipefail
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/questions.py" "$@"
