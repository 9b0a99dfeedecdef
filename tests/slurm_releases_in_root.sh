# shellcheck shell=bash
# slurm_releases_in_root.sh compile FOLDER [HEADERS]   compiles the plugins into FOLDER, for this system's Slurm or that of HEADERS
# slurm_releases_in_root.sh try FOLDER...              what this system's Slurm makes of the plugins in each folder
# Steps of tests/slurm_releases.sh on a clean system, from the top of the source.
set -uo pipefail
export LC_ALL=C.UTF-8 SUITE=/run/slipway-site SITE=/run/slipway-site/site
. tests/system/site_helper.bash
. tests/slurm_in_root.bash
plugins=(container nccl_env node_health auto_resume)

compile() {
  local folder=$1 build=build-plugins plugin targets=() # one folder, so that a compiler cache knows each file again
  rm -rf "$build"
  meson setup "$build" --prefix=/opt/slipway -Dunity=on -Dunity_size=48 -Dtests=false -Dmpi=disabled -Ddebug=false -Doptimization=0 \
    ${2:+-Dcpp_args=-I"$2"} || return
  for plugin in "${plugins[@]}"; do targets+=("spank-plugins/$plugin/$plugin.so"); done
  ninja -C "$build" "${targets[@]}" || return
  mkdir -p "$folder"
  cp "${targets[@]/#/$build/}" "$folder/"
}

# verdict_of FOLDER: 'work', 'stand aside', or what else happens to jobs and slurmd if all plugins in it are required
verdict_of() {
  local plugin said logged options status
  for plugin in "${plugins[@]}"; do echo "required $1/$plugin.so"; done >/etc/slurm/plugstack.conf
  end_daemon slurmd
  : >"$SITE/log/slurmd.log"
  start_slurmd >&2 || { echo "slurmd does not start" && return; }
  srun --nodelist=here true >/tmp/said 2>&1
  status=$?
  cat /tmp/said >&2
  said=$(grep -o '[a-z_]*: built for Slurm [0-9.]*, and this is [0-9.]*, so it does nothing' /tmp/said | sort -u)
  logged=$(grep -c 'so it does nothing' "$SITE/log/slurmd.log")
  options=$(srun --help 2>&1 | grep -o -e ' --nccl-env=' -e ' --auto-resume=' -e ' --container-image=' -e ' --health=' | sort -u | wc -l)
  if [ "$status $options $logged$said" = "0 4 0" ] && [ "$(job_with_plugin)" = "0 show" ]; then
    echo work
  elif [ "$status $options $(grep -c "built for Slurm ${1##*/}, " <<<"$said")" = "0 0 ${#plugins[@]}" ] && [ "$logged" -gt 0 ]; then
    echo "stand aside"
  else
    echo "exit status $status, $options options, messages: $said; in slurmd's log: $logged"
  fi
}

try() {
  local folder
  mkdir -p /etc/slurm
  rm -f /etc/slurm/plugstack.conf
  start_slurm || return
  sinfo --version | awk '{ print $2 }' | said version
  for folder in "$@"; do echo "plugins for ${folder##*/}: $(verdict_of "$folder")"; done
  stop_slurm
}

"$@"
