# What deployments do to the machine that they run on: many of them, two users', a full disk.

# bats file_tags=alone
load helper

setup_file() { host_state >"$BATS_FILE_TMPDIR/before"; }

setup() { BEFORE=$(cat "$BATS_FILE_TMPDIR/before"); }

# A test that leaves something must not fail others: what remains counts as existing from now on.
teardown() {
  destroy_all st-host
  [ -z "${OTHER:-}" ] || theirs destroy st-host 2>/dev/null || true
  nothing_is_left || host_state >"$BATS_FILE_TMPDIR/before"
  [ -z "${OTHER:-}" ] || [ "$(id -u)" -ne 0 ] || remove_user "$OTHER"
}

@test "host: twenty rounds of deploy and destroy, four at a time, leave it unchanged" {
  local round name jobs
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  for round in 1 2 3 4 5; do
    jobs=()
    for name in st-host-a st-host-b st-host-c st-host-d; do
      {
        slipway deploy "$SUITE/quickstart.yaml" --vars "deployment_name=$name" --nodes a3mega_nodeset=1 --quiet &&
          slipway destroy $name
      } 3>&- &
      jobs+=($!)
    done
    for name in "${jobs[@]}"; do wait "$name"; done
  done
  nothing_is_left
}

# theirs ARGUMENT...: slipway as another user; without root, as the same user with another home.
theirs() {
  if [ "$(id -u)" -eq 0 ]; then
    runuser -u "$OTHER" -- env HOME="/home/$OTHER" XDG_STATE_HOME="/home/$OTHER/state" "$SUITE/prefix/bin/slipway" "$@"
  else
    HOME="$BATS_TEST_TMPDIR" XDG_STATE_HOME="$BATS_TEST_TMPDIR/state" "$SUITE/prefix/bin/slipway" "$@"
  fi
}

@test "host: two users have deployments with the same name, and neither sees the other's" {
  OTHER=slipway-u$$
  [ "$(id -u)" -ne 0 ] || useradd --create-home --shell /bin/bash "$OTHER"
  deploy st-host --nodes a3mega_nodeset=1
  on st-host login touch /home/ours
  run theirs status
  says "no deployments"
  theirs deploy "$SUITE/quickstart.yaml" --vars deployment_name=st-host --nodes a3mega_nodeset=1
  run theirs exec st-host login -- sh -c 'test ! -e /home/ours && srun hostname'
  says "sthost-a3meganodeset-0"
  theirs destroy st-host
  run on st-host login srun hostname
  says "sthost-a3meganodeset-0"
  slipway destroy st-host
  nothing_is_left
}

@test "host: status reports a disk that fills up while a cluster runs, and destroy leaves nothing" {
  local map=()
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user --map-auto)
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  run unshare "${map[@]}" --mount bash -c 'mount -t tmpfs -o size=64M tmpfs /var/lib
    "$1" deploy "$2" --vars deployment_name=st-host --nodes a3mega_nodeset=1 --quiet
    "$1" exec st-host login -- dd if=/dev/zero of=/home/large bs=1M status=none
    "$1" status st-host
    echo "status: $?"
    "$1" destroy st-host
    ls -A /var/lib/slipway/deployments | wc -l' bash "$SUITE/prefix/bin/slipway" "$SUITE/quickstart.yaml"
  says "No space left on device"
  [[ "$output" == *"the file system of /var/lib/slipway/deployments/st-host is full"* ]]
  [[ "$output" == *"status: 0"*"deployment \`st-host\` is destroyed"* ]]
  [ "$(tail -n 1 <<<"$output")" = 0 ]
  nothing_is_left
}

# The /proc of a chroot, FAT on /boot/efi, or the root of a container within a container.
@test "host: file systems that cannot be below an overlay do no harm" {
  local map=()
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user --map-auto)
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  run unshare "${map[@]}" --mount --pid --fork --mount-proc bash -euc 'odd=/mnt/odd # each node has its own /tmp and /var/tmp
    mount -t tmpfs tmpfs /mnt
    mkdir -p $odd/{proc,low,first,second}
    mount -t tmpfs tmpfs $odd/low
    mkdir $odd/low/{lowest,up1,work1,up2,work2}
    echo "deep down" >$odd/low/lowest/file
    mount -t proc proc $odd/proc
    mount -t overlay overlay -o lowerdir=$odd/low/lowest,upperdir=$odd/low/up1,workdir=$odd/low/work1 $odd/first
    mount -t overlay overlay -o lowerdir=$odd/first,upperdir=$odd/low/up2,workdir=$odd/low/work2 $odd/second
    mount -t tmpfs tmpfs /var/lib
    "$1" deploy "$2" --vars deployment_name=st-host --nodes a3mega_nodeset=1 --quiet
    "$1" exec st-host login -- sh -c "cat $odd/second/file; ls $odd/proc; touch $odd/second/new; echo written >$odd/low/new" || true
    ls $odd/low
    "$1" destroy st-host' bash "$SUITE/prefix/bin/slipway" "$SUITE/quickstart.yaml"
  says "deep down"
  [[ "$output" == *"second/new"*"Read-only file system"* ]]
  [[ "$output" != *"meminfo"* ]]
  [[ "$output" == *"lowest"* && "$output" != *$'\nnew\n'* ]]
  nothing_is_left
}

# stand_in_for_ip: `ip` as $SUITE/bin/ip, whose text on stdin goes through the shell command $1 on its way to the real one
stand_in_for_ip() {
  mkdir -p "$SUITE/bin"
  cp --dereference /sbin/ip "$SUITE/bin/real-ip"
  printf '#!/bin/sh\n%s | %s/bin/real-ip "$@"\n' "$1" "$SUITE" >"$SUITE/bin/ip"
  chmod 755 "$SUITE/bin/ip"
}

# As iproute2 does since 6.15 with a process ID: the cluster's processes are others in the host's /proc.
@test "host: an ip that looks processes up in /proc makes no interface but the nodes'" {
  local map=()
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user --map-auto)
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  stand_in_for_ip "sed -E 's|netns ([0-9]+)|netns /proc/\1/ns/net|'"
  run unshare "${map[@]}" --mount bash -c 'mount --bind "$3" "$(realpath /sbin/ip)" && mount -t tmpfs tmpfs /var/lib || exit
    "$1" deploy "$2" --vars deployment_name=st-host --nodes a3mega_nodeset=2 --quiet
    "$1" exec st-host login -- srun --nodes=2 hostname
    "$1" destroy st-host' bash "$SUITE/prefix/bin/slipway" "$SUITE/quickstart.yaml" "$SUITE/bin/ip"
  says "sthost-a3meganodeset-1"
  nothing_is_left
}

@test "host: a deploy whose interfaces cannot all be made leaves nothing" {
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  stand_in_for_ip "sed -E 's|^link add name n1p0 .*|link add name n0p0 type veth|'"
  run as_root_in_own_mounts "mount --bind '$SUITE/bin/ip' \"\$(realpath /sbin/ip)\"; mount -t tmpfs tmpfs /var/lib" \
    "$SUITE/quickstart.yaml" --vars deployment_name=st-host
  fails_with 1 "RTNETLINK answers: File exists"
  [[ "$output" == *"left: 0"* ]]
  nothing_is_left
}

@test "host: a root that was entered by chroot is refused at once, with the reason" {
  [ "$(id -u)" -eq 0 ] && [ "$SLIPWAY_TEST_AS" = root ] || return 0
  local root=$SUITE/elsewhere enter
  mkdir -p "$root/plain"
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  # The root of the new tree is a mount, or a folder with mounts in it.
  for enter in 'mount --rbind / "$3" && exec chroot "$3"' \
    'cd "$3/plain" && mkdir -p usr lib lib64 proc var && mount --rbind /usr usr && mount --rbind /lib lib &&
      mount --rbind /lib64 lib64 && mount --rbind /proc proc && mount --rbind /var var && exec chroot .' \
    'cd "$3/plain" && mount --rbind /usr usr && mount --rbind /lib lib && mount --rbind /lib64 lib64 &&
      mount --rbind /proc proc && mount --rbind /var var && exec chroot --userspec=65534:65534 .'; do
    run unshare --mount timeout 10 bash -c "$enter"' "$1" deploy "$2" --vars deployment_name=st-host' \
      bash "$SUITE/prefix/bin/slipway" "$SUITE/quickstart.yaml" "$root"
    fails_with 1 "this is a chroot: "
  done
  nothing_is_left
}
