# How many requests the reconciler makes on a quiet cluster of 1,000 nodes. The figures are printed.
# tests/benchmark/reconcile.py runs this.

# bats file_tags=apart
load helper
load google_helper

C=thousand-controller
N=thousand-steady
RUNS=5

setup_file() {
  cloud_start "$TOP/tests/system/thousand.yaml"
  machine_start $C
  boot $C --deadline 120
  as_tester touch "$CLOUD/machines-stay-off" # only their records count
  machine $C runuser -u slurm -- /opt/slipway/libexec/slipway/resume "$N-[0-999]"
  # Slurm would wait for their slurmd: here it says that all of them are idle.
  machine $C sh -ec '
    seq 0 999 | sed "s/.*/'$N'-&|idle+cloud|none|/" >/tmp/nodes
    printf "#!/bin/sh\nexec cat /tmp/nodes\n" >/tmp/sinfo
    chmod 755 /tmp/sinfo
    mount --bind /tmp/sinfo /usr/bin/sinfo'
}

teardown_file() { cloud_stop; }

# requests HOST: how many there were
requests() { as_tester grep -c "$1" "$CLOUD/log" || true; }

@test "measure: the reconciler on 1,000 quiet nodes" {
  local compute storage
  [ "$(cloud_control machines | grep -c "^$N-")" -eq 1000 ]
  machine $C /opt/slipway/bin/slipway node reconcile # asks for the template, once
  compute=$(requests compute.googleapis.com) storage=$(requests storage.googleapis.com)
  for _ in $(seq $RUNS); do
    run machine $C /opt/slipway/bin/slipway node reconcile
    says ""
    [ "$output" = "" ]
  done
  echo "# 1,000 nodes: $((($(requests compute.googleapis.com) - compute) * 60 / RUNS)) requests an hour to Compute Engine, $((($(requests storage.googleapis.com) - storage) * 60 / RUNS)) to Cloud Storage" >&3
}
