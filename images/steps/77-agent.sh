#!/usr/bin/env bash
# Google's Ops Agent for logs and metrics; it runs where the startup script asks for it
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
add_archive ops-agent "$google_archive/apt/doc/apt-key.gpg" "$google_archive/apt" "google-cloud-ops-agent-${release:?}-all" main
apt_install "google-cloud-ops-agent=$ops_agent_version"
# It costs money for each machine.
systemctl --root=/ disable google-cloud-ops-agent.service 2>/dev/null
