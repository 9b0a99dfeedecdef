#!/usr/bin/env bash
# own_namespaces.sh FOLDER COMMAND...: runs COMMAND as if it had the machine for itself, with user, mount, PID, network and IPC
# namespaces and FOLDER as its /var/lib/slipway. When this script is killed, everything that the command started ends.
#
# An ordinary user keeps his id, and can make user namespaces inside, as on the machine: the user has subordinate ids, and
# programs that map them.
set -euo pipefail

folder=$1
shift
own=(unshare --mount --propagation private --pid --fork --kill-child --mount-proc --net --ipc --)

if [ "$(id -u)" -eq 0 ]; then
  # shellcheck disable=SC2016  # for the shell in there
  exec "${own[@]}" bash -euc 'ip link set lo up; mount --bind "$0" /var/lib/slipway; exec "$@"' "$folder" "$@"
fi

# subordinate_of FILE: the first of the caller's subordinate ids, and how many there are
subordinate_of() {
  awk -F: -v name="$(id -un)" -v id="$(id -u)" '$1 == name || $1 == id { print $2, $3; found = 1; exit } END { exit !found }' "$1" ||
    { echo "$(id -un) has no subordinate ids in $1" >&2 && return 1; }
}

# map PROGRAM PID ID FILE: the caller stays the same in there, root is the first subordinate id, the others begin at 100000
map() {
  local first count
  read -r first count < <(subordinate_of "$4")
  "$1" "$2" 0 "$first" 1 "$3" "$3" 1 100000 "$((first + 1))" "$((count - 1))"
}

# A process that keeps the user namespace, and ends with this script.
# shellcheck disable=SC2034  # it is enough that it is open
exec {lives}> >(exec unshare --user cat >/dev/null)
holder=$!
until [ "$(readlink "/proc/$holder/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.01; done
map newuidmap "$holder" "$(id -u)" /etc/subuid
map newgidmap "$holder" "$(id -g)" /etc/subgid

# Set-user-ID programs of the machine's root have no effect where that root has no id: those are copies.
# shellcheck disable=SC2016
exec nsenter --target "$holder" --user --setuid 0 --setgid 0 -- "${own[@]}" bash -euc '
  ip link set lo up
  folder=$0 name=$1 uid=$2 gid=$3 count=$4
  shift 4
  mount -t tmpfs -o mode=755 tmpfs "$folder"
  for program in newuidmap newgidmap; do
    cp "/usr/bin/$program" "$folder/"
    chmod 4755 "$folder/$program"
    mount --bind "$folder/$program" "/usr/bin/$program"
  done
  echo "$name:100000:$count" >"$folder/subordinate"
  mount --bind "$folder/subordinate" /etc/subuid
  mount --bind "$folder/subordinate" /etc/subgid
  exec setpriv --reuid "$uid" --regid "$gid" --clear-groups -- "$@"
' "$folder" "$(id -un)" "$(id -u)" "$(id -g)" "$(($(subordinate_of /etc/subuid | cut -d" " -f2) - 1))" "$@"
