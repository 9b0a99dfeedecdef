#!/usr/bin/env bash
# Installs a node's software on a Debian system, as root: images/install.sh [option...] --all | STEP...
#
#   --all               run all steps
#   --list              list the steps in order, and what each needs
#   --without WHAT      skip the steps that need WHAT: `gpu` (a machine with the hardware) or `cloud` (the internet and its own
#                       kernel); can be repeated
#   --transport NAME    the machine type's transport: tcpxo, tcpx, gib or socket (default); see versions.sh
#   --source FOLDER     Slipway's source, for the step slipway (default: the parent folder of images/)
#
# Run it in the root of an image: the step slurm removes the munge key, and the step clean the machine's identity. A step is
# steps/NUMBER-NAME.sh; its second line describes it, its third line says what it needs. Steps can be repeated.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export transport=socket source_folder=${here%/*} images_folder=$here
list=false
all=false
without=()
wanted=()

# header FILE LINE: prints a line of a step's header
header() { sed -nE "$2s/^# (needs: )?//p" "$1"; }

name_of() { basename "$1" .sh | sed 's/^[0-9]*-//'; }

die() { echo "install.sh: $*" >&2 && exit 2; }

while [ $# -gt 0 ]; do
  case $1 in
    --list) list=true ;;
    --all) all=true ;;
    --without | --transport | --source)
      [ $# -gt 1 ] || die "\`$1\` needs a value"
      case $1 in
        --without) without+=("$2") ;;
        --transport) transport=$2 ;;
        --source) source_folder=$2 ;;
      esac
      shift
      ;;
    -*) die "unknown option \`$1\`" ;;
    *) wanted+=("$1") ;;
  esac
  shift
done

steps=("$here"/steps/*.sh)
known=$(for step in "${steps[@]}"; do name_of "$step"; done)
for name in "${wanted[@]}"; do
  grep -qxF -- "$name" <<<"$known" || die "unknown step \`$name\`; known: $(xargs <<<"$known")"
done
if ! $list && ! $all && [ ${#wanted[@]} -eq 0 ]; then die "name the steps, or use \`--all\`; \`--list\` shows them"; fi
# shellcheck source=versions.sh
. "$here/versions.sh"

for step in "${steps[@]}"; do
  name=$(name_of "$step")
  needs=$(header "$step" 3)
  if $list; then
    printf '%-10s %-14s %s\n' "$name" "$needs" "$(header "$step" 2)"
    continue
  fi
  if ! $all && [[ " ${wanted[*]} " != *" $name "* ]]; then continue; fi
  left_out=
  for what in "${without[@]}"; do
    if [[ " $needs " == *" $what "* ]]; then left_out=$what; fi
  done
  if [ -n "$left_out" ]; then
    echo "==> $name: skipped, it needs $left_out"
    continue
  fi
  [ "$(id -u)" -eq 0 ] || die "only root can install"
  echo "==> $name: $(header "$step" 2)"
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  bash -euo pipefail "$step"
done
