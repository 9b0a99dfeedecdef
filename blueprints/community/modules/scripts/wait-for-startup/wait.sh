#!/bin/bash
# Waits for the startup script of one machine; runs on the deploying machine. Variables:
# INSTANCE, ZONE, PROJECT, TIMEOUT_SECONDS, GCLOUD_FOLDER (empty: use PATH).
set -uo pipefail
[ -z "${GCLOUD_FOLDER-}" ] || PATH=$GCLOUD_FOLDER:$PATH
if ! command -v gcloud >/dev/null; then
  echo "gcloud is needed to wait for $INSTANCE, but it is not in the PATH" >&2
  exit 1
fi

output=$(mktemp)
errors=$(mktemp)
trap 'rm -f "$output" "$errors"' EXIT
show_how() {
  echo "its output: gcloud compute instances get-serial-port-output $INSTANCE" \
    "--zone $ZONE --project $PROJECT" >&2
}

# The guest agent reports on the first serial port how the script ended: in a message of both older and
# newer agents, or in newer agents' message for a failure.
deadline=$((SECONDS + TIMEOUT_SECONDS))
while :; do
  if gcloud compute instances get-serial-port-output "$INSTANCE" --port 1 --zone "$ZONE" \
    --project "$PROJECT" >"$output" 2>"$errors"; then
    if grep -q 'startup-script exit status 0' "$output"; then
      echo "the startup script of $INSTANCE is done"
      exit 0
    fi
    if grep -Eq 'startup-script exit status [1-9]|Script "startup-script" failed' "$output"; then
      echo "the startup script of $INSTANCE failed" >&2
      show_how
      exit 1
    fi
    if grep -q 'Finished running startup scripts' "$output"; then
      echo "the startup script of $INSTANCE is done"
      exit 0
    fi
  fi
  [ "$SECONDS" -lt "$deadline" ] || break
  sleep 5
done

cat "$errors" >&2
echo "the startup script of $INSTANCE was not done after $TIMEOUT_SECONDS seconds" >&2
show_how
exit 1
