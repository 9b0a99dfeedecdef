#!/bin/bash
# Checks the shell scripts of modules and images with shellcheck: check.sh SHELLCHECK
set -euo pipefail
cd "$(dirname "$0")/../.."
# Scripts without a #! line are parts of bash scripts.
mapfile -t scripts < <(find blueprints tests/history.sh tests/shell tests/fakes -name '*.sh' -o -path '*/fakes/cloud/*' -type f)
[ ${#scripts[@]} -gt 10 ] || { echo "only ${#scripts[@]} scripts were found" >&2; exit 1; }
"$1" --shell=bash "${scripts[@]}"
# These source each other.
"$1" --external-sources --source-path=SCRIPTDIR images/*.sh images/steps/*.sh
"$1" blueprints/kubernetes/job/*
"$1" scripts/completion/slipway.bash
"$1" launcher/node/resume launcher/node/suspend
"$1" --severity=warning --external-sources quickstart.sh test.sh tests/distributions.sh scripts/root.sh
"$1" --external-sources --source-path=tests/system --source-path=tests tests/packages.sh tests/packages_in_root.sh scripts/release.sh
"$1" --external-sources packaging/compile packaging/make_deb packaging/make_folder packaging/needs packaging/slurm_release packaging/split packaging/debian/postrm packaging/debian/*.p*rm
echo "${#scripts[@]} scripts of modules, and those of images"
