#!/usr/bin/env bash
# From nothing to a bandwidth verdict: packages, build, a Slurm cluster of four simulated A3 Mega nodes on this machine,
# all_gather through sbatch, the verdict. May be run again at any time. Needs Debian 12 or 13 (sid is a preview);
# root or sudo only for packages.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/setup.sh

install_packages
build_slipway
slipway=$PWD/build/prefix/bin/slipway

say "deploy: a cluster from examples/quickstart.yaml"
"$slipway" deploy examples/quickstart.yaml --target local
"$slipway" exec quickstart login -- sinfo

say "run: examples/all_gather.sbatch through sbatch, on all nodes"
"$slipway" exec quickstart login -- \
  sbatch --wait --output=all_gather.out /opt/slipway/share/slipway/examples/all_gather.sbatch || failed=1
"$slipway" exec quickstart login -- cat all_gather.out
[ -z "${failed:-}" ] || die "the job failed"

cat <<TEXT

==> The cluster stands. Look around, with build/prefix/bin in your PATH or by its full name:
      build/prefix/bin/slipway status quickstart              nodes and jobs
      build/prefix/bin/slipway exec quickstart login          a shell on the login node: sinfo, srun, sbatch
      build/prefix/bin/slipway exec quickstart login -- srun -N4 --nccl-env=show hostname
    Take it down:
      build/prefix/bin/slipway destroy quickstart
    Test all of it:
      ./test.sh
TEXT
