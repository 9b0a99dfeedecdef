# Shared by the tests of containers.

# put_image FILE OPTION...: makes an image, and puts it into /home of the deployment NAME
put_image() {
  local file=$1
  shift
  "$BATS_TEST_DIRNAME/container_image.py" "$BATS_FILE_TMPDIR/$file" "$@"
  on "$NAME" login sh -c 'cat >"$1"' sh "/home/$file" <"$BATS_FILE_TMPDIR/$file"
}

# sh_on NODE SCRIPT
sh_on() { on "$NAME" "$1" sh -c "$2"; }

# in_image OPTION... COMMAND...: srun in the image a.sqsh
in_image() { on "$NAME" login srun --quiet --container-image=/home/a.sqsh "$@"; }

# on_one OPTION... COMMAND...: srun on the first node, which has the named containers
on_one() { on "$NAME" login srun --quiet --nodes=1 --nodelist="$(compute_nodes "$NAME" | head -n 1)" "$@"; }

# on_nodes SCRIPT: on each compute node
on_nodes() {
  local node
  for node in $(compute_nodes "$NAME"); do sh_on "$node" "$1"; done
}

# all_are_idle: for wait_for: no job is left on the nodes, and none is drained
all_are_idle() { [ "$(on "$NAME" controller sinfo --noheader --format=%T | sort -u)" = idle ]; }
