# A running cluster changes to another image, and so perhaps to another Slurm, with jobs on it. The images are this machine's
# own root file system under another name, with this build of Slipway; a real change of Slurm's release is in image.bats.

# bats file_tags=root,long
load helper

NAME=st-images
C=stimages-controller
L=stimages-login-001
N=stimages-a3meganodeset
IMAGES=/var/lib/slipway/images
LAYERS=/var/tmp/slipway-image-layers

# make_image NAME [SLURM]: an image that says that it has this version of Slurm
make_image() {
  local folder=$IMAGES/$1 slurm=${2:-$(slurmctld -V | sed 's/.* //')}
  mkdir -p "$folder/root" "$LAYERS/$1/upper/opt/slipway" "$LAYERS/$1/work"
  cp -a "$SUITE/prefix/." "$LAYERS/$1/upper/opt/slipway/"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$LAYERS/$1/upper,workdir=$LAYERS/$1/work" "$folder/root"
  echo "$1" >"$folder/root/etc/image"
  printf '{"schema": "slipway/local-image/1", "release": "own", "slurm": "%s", "built": "2026-11-28T00:00:00Z"}\n' "$slurm" >"$folder/image.json"
}

# break_daemon IMAGE PROGRAM COMMANDS: it fails when it is started, after these commands
break_daemon() {
  local program=$IMAGES/$1/root$2
  rm "$program"
  printf '#!/bin/sh\n%s; echo "broken on purpose" >&2; exit 1\n' "$3" >"$program"
  chmod 755 "$program"
}

setup_file() {
  mkdir -p "$LAYERS"
  mount -t tmpfs tmpfs "$LAYERS"
  for image in one two no-slurmd no-slurmctld; do make_image "st-$image"; done
  make_image st-older 21.08.8
  # Runs for a while, but never registers.
  break_daemon st-no-slurmd /usr/sbin/slurmd 'sleep 2'
  # As a newer release writes the state in its own form before it fails.
  break_daemon st-no-slurmctld /usr/sbin/slurmctld 'for file in /var/spool/slurmctld/*_state*; do echo new >"$file"; done'
  deploy $NAME --nodes a3mega_nodeset=3 --image st-one
  # On the node whose turn is last.
  on $NAME login sbatch --job-name=long --nodelist=$N-2 --output=/dev/null --wrap 'while [ ! -e /home/end ]; do sleep 0.2; done'
  wait_for on $NAME login sh -c 'squeue --noheader --name=long --format=%T | grep -q RUNNING'
  # Waits, with what slurmctld keeps.
  on $NAME login sbatch --job-name=waits --hold --output=/dev/null --wrap true
}

teardown_file() {
  destroy_all $NAME
  for image in one two no-slurmd no-slurmctld older; do
    umount "$IMAGES/st-$image/root"
    rm -rf "${IMAGES:?}/st-$image"
  done
  umount "$LAYERS"
  rmdir "$LAYERS"
}

# image_change IMAGE [option...]
image_change() {
  local image=$1
  shift
  deploy $NAME --nodes a3mega_nodeset=3 --image "$image" "$@"
}

# in_background IMAGE OPTION...: image_change, with what it says and its status in $out
in_background() {
  out=$BATS_TEST_TMPDIR/out
  {
    local status=0
    image_change "$@" >"$out" 2>&1 || status=$?
    echo "status $status" >>"$out"
  } 3>&- &
}

# images: of all nodes, in their order
images() { slipway exec $NAME all -- cat /etc/image | sed 's/.*: *//' | tr '\n' ' '; }

# jobs_are_there: the one that runs still does, and the one that waits is known
jobs_are_there() { [ "$(on $NAME login squeue --noheader --format='%j %T' --sort=j)" = "long RUNNING
waits PENDING" ]; }

@test "image change: an older Slurm is refused, and nothing changes" {
  run image_change st-older
  fails_with 1 "cannot change \`$NAME\`: the image cannot change from st-one to st-older while the deployment runs: Slurm 21.08 neither reads"
  [ "$(images)" = "st-one st-one st-one st-one st-one " ]
  jobs_are_there
}

@test "image change: a controller that does not start goes back, with its state and all jobs" {
  run image_change st-no-slurmctld --timeout 15
  fails_with 1 "the change was rolled back"
  [ "$(images)" = "st-one st-one st-one st-one st-one " ]
  wait_for jobs_are_there
  [ ! -e "$(deployments_folder)/$NAME/before" ]
  run on $NAME login srun --quiet --nodes=2 hostname
  [ "$status" -eq 0 ]
}

@test "image change: a first block that does not come up goes back, and the controller stays" {
  run image_change st-no-slurmd --at-once 2 --timeout 15
  echo "$output"
  [ "$status" -eq 1 ]
  [[ "$output" == *"block 1 of 2: "*"it went back"* ]]
  [[ "$output" == *"deploy again to go on"* ]]
  [ "$(images)" = "st-no-slurmd st-no-slurmd st-one st-one st-one " ]
  slipway status $NAME >"$BATS_TEST_TMPDIR/status"
  grep -q "^$C .* st-no-slurmd$" "$BATS_TEST_TMPDIR/status"
  grep -q "^$N-0 .* st-one$" "$BATS_TEST_TMPDIR/status"
  wait_for jobs_are_there
  wait_for node_is $N-0 idle
  run on $NAME login srun --quiet --nodes=2 hostname
  [ "$status" -eq 0 ]
}

@test "image change: the controller first, then blocks that wait for their jobs; the rest goes on while one waits" {
  in_background st-two --at-once 1
  wait_for grep -q "waiting for job [0-9]* (long) on $N-2" "$out"
  [ "$(images)" = "st-two st-two st-two st-two st-one " ]
  jobs_are_there
  run on $NAME login srun --quiet --nodes=2 cat /etc/image
  [ "$output" = "st-two
st-two" ]
  on $NAME login touch /home/end
  wait_for grep -q "^status 0" "$out"
  cat "$out"
  [ "$(images)" = "st-two st-two st-two st-two st-two " ]
  wait_for node_is $N-2 idle
  [ "$(on $NAME login squeue --noheader --format='%j %T')" = "waits PENDING" ]
}

@test "image change: images that nodes run from are held, others are not" {
  run slipway image list
  echo "$output"
  grep -q '^st-two .* in use$' <<<"$output"
  grep -qE '^st-one .* -$' <<<"$output"
  run slipway image remove st-two
  fails_with 1 "a deployment runs from the image \`st-two\`"
}

@test "image change: interrupted while it waits for a job, it resumes the nodes and goes on next time" {
  on $NAME login rm -f /home/end
  on $NAME login sbatch --job-name=again --nodelist=$N-0 --output=/dev/null --wrap 'while [ ! -e /home/end ]; do sleep 0.2; done'
  wait_for on $NAME login sh -c 'squeue --noheader --name=again --format=%T | grep -q RUNNING'
  in_background st-one --at-once 3
  wait_for grep -q "waiting for job [0-9]* (again)" "$out"
  kill -TERM "$(client --at-once)"
  wait_for grep -q "^status 1" "$out"
  cat "$out"
  grep -q "interrupted; now $C, $L have st-one, $N-0, $N-1, $N-2 have st-two; deploy again to go on" "$out"
  wait_for node_is $N-1 idle
  [ "$(images)" = "st-one st-one st-two st-two st-two " ]
  run image_change st-one --force
  [ "$status" -eq 0 ]
  run image_change st-one --at-once 2
  says "--at-once has no effect: no node changes its image"
  [ "$(images)" = "st-one st-one st-one st-one st-one " ]
  run on $NAME login squeue --noheader --name=again --format=%r
  echo "$output" # requeued
  [ -n "$output" ]
  on $NAME login scancel --name=again
}
