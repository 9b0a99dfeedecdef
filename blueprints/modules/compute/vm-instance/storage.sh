#!/bin/bash
# Mounts the machine's file systems, then runs the user's startup script, which is in the metadata
# `slipway-startup-script`. A step is a script on stdin: `step NAME ARGUMENT…`.
set -euo pipefail
folder=${STORAGE_FOLDER:-/var/lib/slipway/storage}
mkdir -p "$folder"
chmod 0700 "$folder"

step() {
  local script=$folder/$1
  shift
  cat >"$script"
  chmod 0700 "$script"
  "$script" "$@"
}

run_users_script() {
  local script=$folder/users-script
  local url=http://metadata.google.internal/computeMetadata/v1/instance/attributes
  local names
  names=$(curl -fsS --retry 5 -H 'Metadata-Flavor: Google' "$url/")
  if ! grep -qx slipway-startup-script <<<"$names"; then
    return 0 # no user script
  fi
  curl -fsS --retry 5 -H 'Metadata-Flavor: Google' -o "$script" "$url/slipway-startup-script"
  chmod 0700 "$script"
  "$script"
}

