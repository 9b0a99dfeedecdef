#!/usr/bin/env bash
# Installs a node's software on a Debian or Ubuntu system, as root: images/install.sh [option...] --all | STEP...
#
#   --all                  run all steps
#   --list                 list the steps in order, and what each needs
#   --without WHAT         skip a step by its name, or the steps that need WHAT: `cloud` (the internet and the image's own
#                          kernel); can be repeated
#   --machine-type TYPE    the machine type that the image is for, such as a3-megagpu-8g: sets the next two
#   --transport NAME       the machine type's transport: tcpxo, tcpx, gib or socket (default); see versions.sh
#   --base NAME            the public image that this system is, if not the transport's own; blueprints/catalogue/images.yaml
#   --containers WHAT      as the blueprint's `containers`: slipway (default), none, or pyxis, with which it and enroot are built
#   --source FOLDER        Slipway's source, for the step slipway (default: the parent folder of images/)
#
# Run it in the root of an image: the step slurm removes the munge key, and the step clean the machine's identity. A step is
# steps/NUMBER-NAME.sh; its second line describes it, its third line says what it needs. Steps can be repeated. The last
# one, verify, fails if the image lacks something that steps of this run should have installed.
#
# Archives and the registry can be replaced by mirrors, with the variables at the top of versions.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=choose.sh
. "$here/choose.sh"
export source_folder=${here%/*} images_folder=$here
list=false
all=false
without=()
wanted=()

# header FILE LINE: prints a line of a step's header
header() { sed -nE "$2s/^# (needs: )?//p" "$1"; }

name_of() { basename "$1" .sh | sed 's/^[0-9]*-//'; }

# left_out STEP NEEDS: prints why the step is skipped; fails if it is not
left_out() {
  local what
  for what in "${without[@]}"; do
    if [ "$what" = "$1" ]; then echo "by --without $what" && return; fi
    if [[ " $2 " == *" $what "* ]]; then echo "it needs $what" && return; fi
  done
  return 1
}

choose "$@"
export transport base system release architecture kernel driver containers
set -- "${rest[@]}"
while [ $# -gt 0 ]; do
  case $1 in
    --list) list=true ;;
    --all) all=true ;;
    --without | --source)
      [ $# -gt 1 ] || die "\`$1\` needs a value"
      case $1 in
        --without) without+=("$2") ;;
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

# The steps whose results verify looks for.
export steps_of_image=' '
for step in "${steps[@]}"; do
  if ! left_out "$(name_of "$step")" "$(header "$step" 3)" >/dev/null; then steps_of_image+="$(name_of "$step") "; fi
done

for step in "${steps[@]}"; do
  name=$(name_of "$step")
  needs=$(header "$step" 3)
  if $list; then
    printf '%-12s %-14s %s\n' "$name" "$needs" "$(header "$step" 2)"
    continue
  fi
  if ! $all && [[ " ${wanted[*]} " != *" $name "* ]]; then continue; fi
  if why=$(left_out "$name" "$needs"); then
    echo "==> $name: skipped, $why"
    continue
  fi
  [ "$(id -u)" -eq 0 ] || die "only root can install"
  echo "==> $name: $(header "$step" 2)"
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  bash -euo pipefail "$step"
done
