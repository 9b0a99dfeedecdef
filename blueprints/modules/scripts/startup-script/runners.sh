
# Settings are prepended to this file, and runners appended, one per line: `runner TYPE OBJECT DESTINATION ARGUMENT…`.
set -euo pipefail
folder=${STARTUP_FOLDER:-/var/lib/slipway/startup}
mkdir -p "$folder"
chmod 0700 "$folder"
[ -z "${GCLOUD_FOLDER-}" ] || PATH=$GCLOUD_FOLDER:$PATH

say() { echo "startup: $*"; }

# The node's boot waits for this script, and stops if it failed. This file says which runner failed.
result=${STARTUP_RESULT:-/run/slipway/startup-script}
mkdir -p "$(dirname "$result")"
rm -f "$result"
failed=
finish() {
  local status=$?
  if [ "$status" -eq 0 ]; then echo "done" >"$result"; else echo "${failed:-it ended with exit status $status}" >"$result"; fi
}
trap finish EXIT

# For a while after the first boot, the system itself is installing packages.
wait_for_packages() {
  command -v apt-get >/dev/null || return 0
  local lock
  for lock in /var/lib/dpkg/lock-frontend /var/lib/apt/lists/lock; do
    for _ in $(seq 120); do
      { command -v fuser >/dev/null && fuser "$lock" >/dev/null 2>&1; } || break
      sleep 5
    done
  done
}

# Without gcloud: use the machine's token.
fetch_by_curl() {
  local object=${1#gs://} token path
  path=${object#*/}
  token=$(curl -fsS --retry 5 -H 'Metadata-Flavor: Google' \
    http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token |
    sed -e 's/.*"access_token" *: *"//' -e 's/".*//')
  # The header comes from stdin, so that the token is not visible in the process list.
  curl -fsS --retry 5 -H @- -o "$2" \
    "https://storage.googleapis.com/storage/v1/b/${object%%/*}/o/${path//\//%2F}?alt=media" \
    <<<"Authorization: Bearer $token"
}

fetch() {
  local attempt
  for attempt in 1 2 3 4 5; do
    if command -v gcloud >/dev/null; then
      gcloud storage cp --no-user-output-enabled "$1" "$2" && return
    elif command -v gsutil >/dev/null; then
      gsutil -q cp "$1" "$2" && return
    else
      fetch_by_curl "$1" "$2" && return
    fi
    say "fetching $1 failed, attempt $attempt"
    sleep $((attempt * 5))
  done
  return 1
}

run_shell() {
  chmod 0700 "$1"
  # Scripts without a #! line are run by bash.
  if [ "$(head -c 2 "$1")" = '#!' ]; then
    "$@"
  else
    bash "$@"
  fi
}

run_playbook() {
  local playbook=$1 program=$ANSIBLE_FOLDER/bin/ansible-playbook
  shift
  [ -x "$program" ] || program=ansible-playbook
  "$program" --connection local --inventory localhost, --limit localhost "$@" "$playbook"
}

runner() {
  local type=$1 object=$2 destination=$3 path status=0
  shift 3
  case $destination in
  /*) path=$destination ;;
  *) path=$folder/$destination ;;
  esac
  say "$type $destination"
  mkdir -p "$(dirname "$path")"
  if ! fetch "$object" "$path"; then
    failed="$destination cannot be fetched from $object"
    say "$failed"
    exit 1
  fi
  case $type in
  data) chmod 0644 "$path" ;;
  shell) wait_for_packages && (cd "$folder" && run_shell "$path" "$@") || status=$? ;;
  ansible-local) wait_for_packages && (cd "$folder" && run_playbook "$path" "$@") || status=$? ;;
  *) say "there is no runner of type $type" && exit 1 ;;
  esac
  if [ "$status" -ne 0 ]; then
    failed="$destination failed with exit status $status"
    say "$failed"
    exit "$status"
  fi
}

