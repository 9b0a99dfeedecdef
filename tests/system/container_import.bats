# Scripts that make their image first: `enroot import` and `slipway container import` on a node, and srun with the result. Also
# the controller's setting `containers`.

# bats file_tags=user
load helper

NAME=st-import

setup_file() {
  deploy st-import --nodes a3mega_nodeset=2
  rm -rf "$SUITE/import-root" "$SUITE/import-root.tar"
  "$BATS_TEST_DIRNAME/container_image.py" "$SUITE/import-root" --folder --env FROM_IMAGE=yes
  tar --create --directory "$SUITE/import-root" . | on st-import login sh -c 'cat >/home/root.tar'
}

teardown_file() {
  slipway destroy st-import
  destroy_all st-import-other
}

# sh_on NODE SCRIPT
sh_on() { on $NAME "$1" bash -c "$2"; }

@test "container import: a script imports its image once, and its step runs in it on every node" {
  sh_on login 'cat >/home/recipe.sbatch' <<'SCRIPT'
#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1
set -e
image=/home/sqsh/root.sqsh
if [ ! -f $image ]; then
  mkdir -p ${image%/*}
  enroot import --output $image tar:/home/root.tar
fi
srun --container-image=$image bash -c 'echo "$(grep -c slipway-test /etc/os-release) $FROM_IMAGE"'
SCRIPT
  for attempt in first second; do
    run sh_on login 'sbatch --quiet --wait --output=/home/recipe.out /home/recipe.sbatch; echo "status $?"; cat /home/recipe.out'
    echo "$attempt: $output"
    [[ "$output" == *"status 0"* ]]
    [ "$(grep -c '^1 yes$' <<<"$output")" -eq 2 ]
  done
}

@test "container import: an image that exists stays, and the error says so" {
  run sh_on login 'enroot import --output /home/sqsh/root.sqsh tar:/home/root.tar; echo "status $?"'
  [[ "$output" == *"File already exists: /home/sqsh/root.sqsh"*"status 1"* ]]
  run sh_on login 'slipway container import --force --compressor lz4 --output /home/sqsh/root.sqsh tar:/home/root.tar; echo "status $?"'
  [[ "$output" == *"/home/sqsh/root.sqsh"*"status 0"* ]]
}

@test "container import: enroot lists and removes containers with a name, where they are" {
  local node
  node=$(compute_nodes $NAME | head -n 1)
  sh_on login "srun --quiet --nodelist=$node --container-image=/home/sqsh/root.sqsh --container-name=kept --container-writable touch /mine"
  run sh_on "$node" 'enroot list; enroot remove --force pyxis_kept; echo "status $?"; enroot list'
  [ "$output" = $'pyxis_kept\nstatus 0' ]
}

@test "container import: in a job, enroot makes a container, runs a program in it and exports it" {
  sh_on login 'cat >/home/named.sbatch' <<'SCRIPT'
#!/bin/bash
#SBATCH --nodes=1 --ntasks-per-node=2
set -e
enroot create --name pyxis_made /home/sqsh/root.sqsh
enroot create /home/sqsh/root.sqsh && enroot remove --force root
enroot create --name=made /home/sqsh/root.sqsh || echo "not twice"
srun --overlap --ntasks=1 --container-name=made --container-writable bash -c 'echo running >/state; while [ ! -e /stop ]; do sleep 0.1; done; echo stopped' &
pid() { enroot list --fancy | awk 'NR > 1 && $2 ~ /^[0-9]+$/ { print $2; exit }'; }
until [ -n "$(pid)" ] && enroot exec "$(pid)" cat /state 2>/dev/null; do sleep 0.1; done
enroot exec "$(pid)" bash -c 'echo "in it: $FROM_IMAGE"; touch /stop'
wait
enroot exec 1 true || echo "no container"
cd /home
enroot export pyxis_made
enroot export --output pyxis_made.sqsh made || echo "not over it"
enroot export --force --output ./pyxis_made.sqsh -- pyxis_made
srun --overlap --ntasks=1 --container-image=./pyxis_made.sqsh bash -c 'echo "exported: $(cat /state) $FROM_IMAGE"'
enroot remove --force made
SCRIPT
  run sh_on login 'sbatch --quiet --wait --output=/home/named.out /home/named.sbatch; cat /home/named.out; enroot create /home/sqsh/root.sqsh; true'
  local line
  says "not twice"
  # Two programs write into one file.
  for line in running "in it: yes" stopped; do says "$line"; done
  says "No such process: 1"
  says "File already exists: /home/pyxis_made.sqsh"
  says "not over it"
  says "exported: running yes"
  says "this is not in a job"
}

@test "container import: without containers in the blueprint, srun has no such option, and jobs run" {
  sed '/schedmd-slurm-gcp-v6-controller/,/settings:/ s/^\( *\)settings:/&\n\1  containers: none/' "$BLUEPRINT" >"$SUITE/none.yaml"
  slipway deploy "$SUITE/none.yaml" --vars deployment_name=st-import-other --nodes a3mega_nodeset=1
  run on st-import-other login srun --container-image=/home/a.sqsh true
  [[ "$output" == *"unrecognized option '--container-image"* ]]
  on st-import-other login srun --quiet true
}
