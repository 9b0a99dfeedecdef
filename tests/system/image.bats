# Images of nodes: one is built, and a cluster runs from it. It takes minutes, and Debian's archive: ./test.sh --images

load helper

NAME=st-image

# the image's name, built by the first test
image() { cat "$SUITE/image"; }

teardown_file() {
  slipway destroy $NAME || true
  slipway image remove "$(image)"
}

@test "image: is built from the recipe, once" {
  cd "$TOP"
  slipway image build >"$SUITE/image"
  run slipway image build
  [ "$status" -eq 0 ]
  says "it is there already: nothing that goes into it has changed"
  says "$(image)"
  run slipway image list
  says "$(image) *24\.11\.[0-9]* .* -"
}

@test "image: a cluster runs from it, with its Slurm and the plugins that were made for that" {
  deploy $NAME --image "$(image)"
  run on $NAME controller sinfo --version
  [[ "$output" == "slurm-wlm 24.11."* ]]
  run on $NAME login srun --nodes=4 --nccl-env=show true
  [ "$status" -eq 0 ]
  says "NCCL_SOCKET_IFNAME"
  run on $NAME login sh -c '. /etc/os-release; echo "$VERSION_CODENAME"'
  [ "$output" = trixie ]
}

@test "image: one that a deployment runs from is not removed" {
  run slipway image remove "$(image)"
  fails_with 1 "slipway image remove: a deployment runs from the image \`$(image)\`"
  run slipway image list
  says "$(image) .* in use"
}

@test "image: all_gather runs in it" {
  on $NAME login sbatch --wait --output=/home/image.out /opt/slipway/share/slipway/examples/all_gather.sbatch
  run on $NAME login cat /home/image.out
  says "Out of bounds values : 0 OK"
}
