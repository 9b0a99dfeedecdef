#!/usr/bin/env bash
# From nothing to a bandwidth verdict: packages, build, a Slurm cluster of four simulated A3 Mega nodes on this machine,
# all_gather through sbatch, the verdict; then with a slow node, which the test notices and a scan names. May be run
# again at any time. Needs Debian 12 or 13 (sid is a preview);
# root or sudo only for packages.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/setup.sh

install_packages
open_fuse
build_slipway
slipway=$PWD/build/prefix/bin/slipway

say "deploy: a cluster from examples/quickstart.yaml"
"$slipway" deploy examples/quickstart.yaml --target local
"$slipway" exec quickstart login -- sinfo

say "run: examples/all_gather.sbatch through sbatch, on all nodes"
# What else runs on this machine may slow the test down for a moment.
for attempt in 1 2 3; do
  failed=
  "$slipway" exec quickstart login -- \
    sbatch --wait --output=all_gather.out /opt/slipway/share/slipway/examples/all_gather.sbatch || failed=1
  "$slipway" exec quickstart login -- cat all_gather.out
  [ -n "$failed" ] || break
  [ "$attempt" -lt 3 ] || die "the job failed three times"
  say "run: the job failed; trying again, in case the machine was busy"
done

say "break: slow down one node's network to 50 Mbit/s; the same test fails now"
"$slipway" fault quickstart a3meganodeset-2 link-rate enp0s12 50mbit
for attempt in 1 2 3; do
  if "$slipway" exec quickstart login -- env BANDWIDTH_SIZES='-b 256K -e 1M -f 4 -n 2' \
    sbatch --wait --output=slow.out /opt/slipway/share/slipway/examples/all_gather.sbatch; then
    again="the test did not fail although a node is slow"
  else
    again="the job ended without a verdict"
  fi
  "$slipway" exec quickstart login -- grep '^# Verdict: fail' slow.out && break
  "$slipway" exec quickstart login -- cat slow.out
  [ "$attempt" -lt 3 ] || die "$again, three times"
  say "break: $again; trying again, in case the machine was busy"
done

say "find: bandwidth_scan measures pairs of nodes and names the slow one"
for attempt in 1 2 3; do
  status=0
  "$slipway" exec quickstart login -- srun --nodes=4 --mpi=none \
    /opt/slipway/bin/bandwidth_scan --size 512K --iters 1 --precision 0 --samples 15 --detect 80 || status=$?
  [ "$status" -eq 3 ] && [ "$attempt" -lt 3 ] || break # 3: too noisy to say
  say "find: trying again, in case the machine was busy"
done
"$slipway" fault quickstart a3meganodeset-2 clear

cat <<TEXT

==> The cluster is running. Look around, with build/prefix/bin in your PATH or by its full name:
      build/prefix/bin/slipway status quickstart              nodes and jobs
      build/prefix/bin/slipway exec quickstart login          a shell on the login node: sinfo, srun, sbatch
      build/prefix/bin/slipway exec quickstart login -- srun -N4 --nccl-env=show hostname
    Take it down:
      build/prefix/bin/slipway destroy quickstart
    Test all of it:
      ./test.sh
TEXT
