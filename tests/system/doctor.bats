#!/usr/bin/env bats
# `slipway doctor`, on this machine and on a node.

bats_require_minimum_version 1.5.0

setup_file() {
  . "$BATS_TEST_DIRNAME/helper.bash"
  deploy st-doctor --nodes a3mega_nodeset=1
}

setup() { . "$BATS_TEST_DIRNAME/helper.bash"; }

teardown_file() {
  . "$BATS_TEST_DIRNAME/helper.bash"
  destroy_all st-doctor
}

# bats test_tags=user
@test "doctor: a machine on which a cluster runs lacks nothing for it" {
  run -0 slipway doctor
  [[ "$output" == *"nothing missing"* ]]
  lacks '^  missing'
}

@test "doctor: what a deploy would miss is named, all at once, with its package" {
  local hide="mount --bind /dev/null /usr/sbin/slurmd; mount --bind /dev/null /usr/sbin/munged" map=()
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user)
  run -1 unshare "${map[@]}" --mount bash -c "$hide; \"\$0\" doctor local" "$SUITE/prefix/bin/slipway"
  [[ "$output" == *"missing  /usr/sbin/slurmd "* ]]
  [[ "$output" == *"missing  /usr/sbin/munged "* ]]
  [[ "$output" == *"as root: apt-get install munge slurmd"* ]]
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  run -1 as_root_in_own_mounts "$hide" "$SUITE/quickstart.yaml" --vars deployment_name=st-doctor-two
  [[ "$output" == *"this machine lacks /usr/sbin/slurmd, /usr/sbin/munged; as root: apt-get install munge slurmd"* ]]
}

@test "doctor: what is wrong with a user's home folder is one of its lines, and of any other program a plain sentence" {
  local user=()
  [ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 4321 --regid 4321 --clear-groups)
  run -1 "${user[@]}" env --unset=XDG_STATE_HOME HOME=/root "$SUITE/prefix/bin/slipway" doctor local
  [[ "$output" == *"missing  /root/.local/state/slipway/deployments "*"you cannot write to /root"* ]]
  [[ "$output" == *" /usr/sbin/slurmd "* ]]
  run -1 "${user[@]}" env --unset=XDG_STATE_HOME --unset=HOME "$SUITE/prefix/bin/slipway" doctor local
  [[ "$output" == *"missing  a folder for deployments "*"HOME is not set"* ]]
  run -1 "${user[@]}" env --unset=XDG_STATE_HOME HOME=/root "$SUITE/prefix/bin/slipway" status
  [ "$output" = "slipway status: cannot access /root/.local/state/slipway/deployments: Permission denied" ]
}

# bats test_tags=user
@test "doctor: a node that Slipway deployed lacks nothing that it always needs" {
  run -0 on st-doctor a3meganodeset-0 /opt/slipway/bin/slipway doctor node
  lacks '^  missing'
  [[ "$output" == *"ok       nccl_env.so"* ]]
  [[ "$output" == *"8 GPUs, transport "* ]]
}

# bats test_tags=user
@test "doctor: an ordinary user of a node mounts the image of a container, and root owns where it runs" {
  local image=$SUITE/doctor.sqsh
  rm -f "$image"
  "$BATS_TEST_DIRNAME/container_image.py" "$image"
  on st-doctor a3meganodeset-0 sh -c 'cat >/home/doctor.sqsh' <"$image"
  run -0 on st-doctor a3meganodeset-0 setpriv --reuid 4321 --regid 4321 --clear-groups unshare --user --map-root-user --mount sh -c '
    mkdir /tmp/image && squashfuse /home/doctor.sqsh /tmp/image && cat /tmp/image/etc/os-release && umount /tmp/image'
  [[ "$output" == *"A test image"* ]]
  run -0 on st-doctor a3meganodeset-0 stat -c '%U %a' /run/slipway/containers
  [ "$output" = "root 755" ]
  run -0 on st-doctor a3meganodeset-0 /opt/slipway/bin/slipway doctor node
  [[ "$output" == *"containers "* ]]
}

@test "doctor: a /dev/fuse that is missing or closed is named, with the line to run" {
  local map=() hide="mount -t tmpfs none /dev; : >/dev/null"
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user)
  run unshare "${map[@]}" --mount bash -c "$hide; \"\$0\" doctor local" "$SUITE/prefix/bin/slipway"
  [[ "$output" == *"warning  /dev/fuse "*"not there"*"as root: modprobe fuse"* ]]
}

# bats test_tags=user
@test "doctor: a node without its profile is not ready" {
  run -1 on st-doctor a3meganodeset-0 sh -c 'mv /etc/slipway/node.json /etc/slipway/away
    /opt/slipway/bin/slipway doctor node; code=$?; mv /etc/slipway/away /etc/slipway/node.json; exit $code'
  [[ "$output" == *"missing  /etc/slipway/node.json"* ]]
  [[ "$output" == *"docs/start/existing-slurm.md"* ]]
}

# bats test_tags=user
@test "deploy: a terminal shows how many nodes are up and idle, and nothing of that stays" {
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  run -0 as_tester env TERM=xterm python3 "$BATS_TEST_DIRNAME/in_terminal.py" "$SUITE/prefix/bin/slipway" deploy \
    "$SUITE/quickstart.yaml" --vars deployment_name=st-doctor-terminal
  [[ "$output" == *"written: "*"4 of 4 nodes are idle"* ]]
  output=${output##*shown:}
  lacks ' are '
  [[ "$output" == *"4 nodes idle after"* ]]
}

# bats test_tags=user
@test "deploy: a pipe gets a line for each node, and no control characters" {
  run -0 deploy st-doctor-pipe
  grep -q '^node .*-controller is up$' <<<"$output"
  lacks $'\x1b'
  lacks $'\r'
}
