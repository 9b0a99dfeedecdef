#!/bin/bash
# Installs Google Cloud Observability agents: REPOSITORY…, such as google-cloud-ops-agent.
set -euo pipefail
for agent in "$@"; do
  # An image may have it already, stopped.
  if systemctl cat "$agent.service" >/dev/null 2>&1; then
    systemctl enable --now "$agent.service"
    continue
  fi
  script=$(mktemp)
  case $agent in
  google-cloud-ops-agent) name=add-google-cloud-ops-agent-repo.sh ;;
  monitoring) name=add-monitoring-agent-repo.sh ;;
  logging) name=add-logging-agent-repo.sh ;;
  *) echo "there is no agent $agent" >&2 && exit 2 ;;
  esac
  curl -fsSL --retry 5 -o "$script" "https://dl.google.com/cloudagents/$name"
  bash "$script" --also-install
  rm -f "$script"
done
