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

@test "container import: without containers in the blueprint, srun has no such option, and jobs run" {
  sed '/schedmd-slurm-gcp-v6-controller/,/settings:/ s/^\( *\)settings:/&\n\1  containers: none/' "$BLUEPRINT" >"$SUITE/none.yaml"
  slipway deploy "$SUITE/none.yaml" --vars deployment_name=st-import-other --nodes a3mega_nodeset=1
  run on st-import-other login srun --container-image=/home/a.sqsh true
  [[ "$output" == *"unrecognized option '--container-image"* ]]
  on st-import-other login srun --quiet true
}
