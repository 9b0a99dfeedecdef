# Node images: building them, and running clusters from them. Takes minutes, and needs Debian's archive: ./test.sh
# --images

# bats file_tags=apart,alone
load helper
load google_helper
load health_helper
load container_helper

NAME=st-image

load first_node_helper

# image RELEASE: the name of the image built from it
image() { cat "$SUITE/image.$1"; }

# build RELEASE: from this source tree, as root. A mirror of the archive may be some weeks old, in which case sid's
# package lists are normally too old to be trusted.
build() {
  cd "$TOP"
  "$SUITE/prefix/bin/slipway" image build --release "$1" --apt-option 'Acquire::Check-Valid-Until "false"' >"$SUITE/image.$1"
}

# runs_plugins NAME [option of srun...]: nccl_env is loaded by the Slurm of the image, speaks on the login node and sets what
# tasks see
runs_plugins() {
  local name=$1
  shift
  run on "$name" login srun "$@" --nodes=4 --gpus-per-node=8 --nccl-env=show true
  says "NCCL_SOCKET_IFNAME"
  # --quiet: nodes are checked after the previous job, and srun would report that it waits for them.
  run on "$name" login srun "$@" --quiet --nodes=4 --gpus-per-node=8 sh -c 'echo "$NCCL_SOCKET_IFNAME"'
  [ "$status" -eq 0 ]
  [ "$(sort -u <<<"$output")" = =enp0s12 ]
}

# checks_nodes NAME: node_health is loaded by the Slurm of the image. It drains a node that lost a GPU, whose job goes elsewhere.
checks_nodes() {
  local NAME=$1 node
  node=$(compute_nodes "$NAME" | head -n 1)
  slurm_checks_every 0 # before jobs only
  run on "$NAME" login srun --help
  says "--health="
  fault "$node" gpu-lost 3
  job_is_moved_from "$node"
  wait_for node_is "$node" drained
  run reason_of "$node"
  [ "$output" = "gpu_count GPU3: GPU is lost [node_problem] (slipway health) Action:Reboot" ]
  fault "$node" clear
  serves_again "$node"
  on "$NAME" login rm /home/moved.out
}

teardown() {
  # A deploy of a failed test waits for a job.
  if [ -n "${CHANGES:-}" ] && [ -z "${BATS_TEST_COMPLETED:-}" ]; then pkill -TERM -f "deployment_name=$CHANGES" || true; fi
  if [ -n "${TEST_USER:-}" ]; then
    slipway destroy st-image-user || true
    userdel --remove "$TEST_USER" 2>/dev/null || true
  fi
}

teardown_file() {
  destroy_all st-image
  rm -rf /var/lib/slipway/images/st-old # left by a failed test
}

@test "image: is built from the recipe, once" {
  build trixie
  run build trixie
  says "the image exists and is up to date"
  run slipway image list
  [ "$status" -eq 0 ]
  grep -qE "^$(image trixie) +24\.11\.[0-9]+ .* -$" <<<"$output"
}

@test "image: a cluster runs from it, with its Slurm and the plugins built for that" {
  deploy $NAME --accounting --image "$(image trixie)"
  run on $NAME controller sinfo --version
  [[ "$output" == "slurm"*" 24.11."* ]]
  run on $NAME login sh -c '. /etc/os-release; echo "$VERSION_CODENAME"'
  [ "$output" = trixie ]
  runs_plugins $NAME
}

@test "image: its node_health drains a node that lost a GPU, the job goes elsewhere, and the node comes back" {
  checks_nodes $NAME
}

@test "image: one older than node_health serves without it, with a warning" {
  local folder=/var/lib/slipway/images old=st-old NAME=st-image-old
  rm -rf "${folder:?}/$old"
  cp -al "$folder/$(image trixie)" "$folder/$old"
  cp --remove-destination "$folder/$(image trixie)/image.json" "$folder/$old/" # the file that is locked
  rm "$folder/$old/root/opt/slipway/libexec/slipway/health" "$folder/$old/root/opt/slipway/lib/slipway/spank"/node_health*
  run deploy st-image-old --image "$old"
  says "image \`$old\` is older than node_health: its nodes are not checked"
  run on st-image-old login srun --nodes=4 --label hostname
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 4 ]
  wait_for all_are_idle # no node is drained
  run slipway health report st-image-old
  says "not checked yet"
  slipway destroy st-image-old
  slipway image remove "$old"
}

@test "image: a batch script with --segment runs in a container" {
  put_image a.sqsh --env FROM_IMAGE=image
  write_program /home/segment.sbatch <<'END'
#!/bin/bash
#SBATCH --exclusive
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --mem=0
#SBATCH --segment=2
#SBATCH --open-mode=append
set -e
sbcast -C -f -p /home/a.sqsh "/dev/shm/a-$SLURM_JOB_ID.sqsh"
srun \
  --container-image "/dev/shm/a-$SLURM_JOB_ID.sqsh" \
  --container-mounts "/home,/etc/slurm:/conf:mkdir" \
  --container-workdir /home \
  --no-container-mount-home \
  --container-writable \
  --gres=gpu:8 \
  -l \
  --segment 2 \
  --mpi=pmix \
  bash -c 'touch /new && test -e /conf/slurm.conf && echo "$FROM_IMAGE $PWD $SLURM_NTASKS"'
END
  run sh_on login 'sbatch --quiet --wait --output=/home/segment.out /home/segment.sbatch; cat /home/segment.out'
  [ "$(grep -c '^[0-7]: image /home 8$' <<<"$output")" -eq 8 ] || { echo "$output" && false; }
}

@test "image: machines that share NVLink are blocks of Slurm, and --segment keeps a job's parts within one" {
  local NAME=st-image-nvlink
  sed 's/a3-megagpu-8g/a4x-highgpu-4g/; s/CoresPerSocket: 52/CoresPerSocket: 70/; s/ThreadsPerCore: 2/ThreadsPerCore: 1/' \
    "$BLUEPRINT" >"$SUITE/nvlink.yaml"
  slipway deploy "$SUITE/nvlink.yaml" --vars deployment_name=$NAME --nodes a3mega_nodeset=19 --image "$(image trixie)"
  run on $NAME controller scontrol show topology
  says "BlockName=a3meganodeset-0 BlockIndex=0 Nodes=stimagenvl-a3meganodeset-[0-17] BlockSize=18"
  says "BlockName=a3meganodeset-1"
  run on $NAME login srun --nodes=2 --segment=2 --label hostname
  [ "$status" -eq 0 ]
  # No block has 19 machines.
  run on $NAME login srun --nodes=19 --segment=19 hostname
  [ "$status" -ne 0 ]
  slipway destroy $NAME
}

@test "image: all_gather runs in it, and its accounting has the job" {
  # Not on MPI: Debian 13's Open MPI crashes now and then (docs/guides/images.md).
  run on $NAME login srun --nodes=4 --job-name=gather /opt/slipway/bin/all_gather_perf --backend tcp -b 64K -e 256K -n 2
  says "Out of bounds values : 0 OK"
  run on $NAME login sacct --noheader --parsable2 --allocations --name=gather --format=State
  says "COMPLETED"
}

# first_node_dies FAULT: under slipway launch, in a separate cluster
first_node_dies() {
  local NAME=st-image-1 N=stimage1-a3meganodeset
  deploy $NAME --nodes a3mega_nodeset=5 --image "$(image trixie)"
  install_program
  launch_survives --no-kill "$@"
  echo "# $(on $NAME controller sinfo --version), $*: queued again after $QUEUED s, node down after $DOWN s, runs again after $RUNNING s" >&3
  slipway destroy $NAME
}

@test "image: when the first node loses its power, a job is requeued in time, and all nodes serve" {
  first_node_dies power-off
}

@test "image: when the first node hangs, a job is requeued in time, and all nodes serve" {
  first_node_dies hang
}

@test "image: is not removed while a deployment runs from it" {
  run slipway image remove "$(image trixie)"
  fails_with 1 "slipway image remove: a deployment runs from the image \`$(image trixie)\`"
  run slipway image list
  grep -qE "^$(image trixie) .* in use$" <<<"$output"
}

@test "image: an ordinary user runs a cluster from it" {
  [ "$(id -u)" -eq 0 ]
  TEST_USER=slipway-i$$ SLIPWAY_TEST_AS=user
  useradd --create-home --shell /bin/bash "$TEST_USER"
  chown "$TEST_USER" "$SUITE/state"
  deploy st-image-user --image "$(image trixie)"
  run on st-image-user controller sinfo --version
  [[ "$output" == "slurm"*" 24.11."* ]]
  runs_plugins st-image-user
}

# journal NAME: its systemd's journal
journal() { machine "$1" journalctl --no-pager --output=cat "${@:2}"; }

@test "image: cloud machines started from it with systemd become a cluster by themselves" {
  local c=quickstart-controller n=quickstart-a3meganodeset-0
  export MACHINES_IMAGE=/var/lib/slipway/images/$(image trixie)/root
  cp "$TOP/examples/quickstart.yaml" "$SUITE/machines.yaml"
  cat >>"$SUITE/machines.yaml" <<'END'

settings:
  controller:
    monitoring: prometheus
    health_policy: {tell: {program: /told/hook}}
END
  cloud_start "$SUITE/machines.yaml"
  machine_start $c $n
  wait_for machine $c systemctl is-active --quiet slipway-node.service
  wait_for machine $n systemctl is-active --quiet slipway-node.service
  wait_for node_is_idle $c $n
  run machine $c srun --nodes=1 hostname
  says "$n"
  run journal $n --unit=slipway-node.service
  says "$n is up"
  run machine $n systemctl is-active slurmd.service munge.service slipway-guard.service
  says "active
active
active"
  # Each machine serves its metrics, Prometheus reads them, and a program of the site learns of a drain.
  run machine $c systemctl is-active slipway-metrics.service slipway-prometheus.service slipway-tell.service
  says "active
active
active"
  have_been_scraped() { [ "$(scraped_by $c)" = "$n $c" ]; }
  wait_for have_been_scraped
  machine $c sh -c 'mkdir -m 755 /told; printf "#!/bin/sh\ncat >>/told/program\n" >/told/hook; chmod 755 /told/hook'
  wait_for machine $c test -e /var/lib/slipway/tell.json
  machine $c scontrol update nodename=$n state=drain reason="a test by hand"
  wait_for machine $c grep -q "a test by hand" /told/program
  machine $c scontrol update nodename=$n state=resume
  # When a site's own firewall is reloaded, the metadata server stays closed to users.
  machine $n systemctl restart nftables.service
  machine $n systemctl reload nftables.service
  run machine $n setpriv --reuid=games --clear-groups curl -sS --max-time 5 http://169.254.169.254/
  [ "$status" -eq 7 ]
  cloud_stop
}

@test "image: the plugins are built against Debian's newest Slurm, which loads them" {
  build sid
  deploy st-image-sid --image "$(image sid)"
  run on st-image-sid controller sinfo --version
  [[ "$output" == "slurm"*" 2"[5-9]"."* ]]
  # That Slurm may be built without PMIx.
  runs_plugins st-image-sid --mpi=none
  checks_nodes st-image-sid
}

@test "image: a running cluster gets the next Slurm, with jobs on both while it changes" {
  local NAME=st-image-next n=stimagenex-a3meganodeset out=$BATS_TEST_TMPDIR/out
  deploy $NAME --accounting --nodes a3mega_nodeset=2 --image "$(image trixie)"
  CHANGES=$NAME
  write_program /home/long.sh <<'END'
#!/bin/sh
until [ -e /home/end ]; do srun --mpi=none sh -c 'cat /etc/debian_version' >>/home/steps; sleep 1; done
END
  on $NAME login sbatch --job-name=long --nodelist=$n-1 --output=/home/long.out /home/long.sh
  on $NAME login sbatch --job-name=waits --hold --output=/dev/null --wrap true
  wait_for on $NAME login test -s /home/steps
  {
    local status=0
    deploy $NAME --accounting --nodes a3mega_nodeset=2 --image "$(image sid)" --at-once 1 >"$out" 2>&1 || status=$?
    echo "status $status" >>"$out"
  } 3>&- &
  wait_for grep -qE "^status|waiting for job [0-9]+ \(long\) on $n-1" "$out"
  refuse grep "^status" "$out"
  # A new slurmctld and slurmdbd, one slurmd of each release: steps begin on both. One that ran during the change keeps the
  # next from its processor for two minutes.
  run on $NAME controller sinfo --version
  [[ "$output" == "slurm"*" 2"[5-9]"."* ]]
  on $NAME login rm /home/steps
  WAIT_SECONDS=300 wait_for on $NAME login test -s /home/steps
  run on $NAME login srun --mpi=none --nodes=1 --nodelist=$n-0 sinfo --version
  [[ "$output" == "slurm"*" 2"[5-9]"."* ]]
  on $NAME login touch /home/end
  WAIT_SECONDS=300 wait_for grep -q "^status" "$out"
  cat "$out"
  [ "$(tail -n 1 "$out")" = "status 0" ]
  [ "$(on $NAME login squeue --noheader --format='%j %T')" = "waits PENDING" ]
  run on $NAME login srun --mpi=none --nodes=2 cat /etc/debian_version
  [ "$status" -eq 0 ]
  run on $NAME login sacct --noheader --parsable2 --allocations --name=long --format=State
  says "COMPLETED"
  # There is no way back.
  run deploy $NAME --accounting --nodes a3mega_nodeset=2 --image "$(image trixie)"
  fails_with 1 "neither reads the state of"
}

@test "image: is removed when nothing runs from it" {
  local release
  destroy_all st-image
  for release in trixie sid; do
    slipway image remove "$(image "$release")"
    run slipway image remove "$(image "$release")"
    fails_with 1 "there is no image \`$(image "$release")\`"
  done
}
