# Every way to interrupt a change, at every point; takes minutes.

# bats file_tags=apart
load helper
load interrupt_helper

@test "soak: a change interrupted at every point by every signal, then the same blueprint and the old one" {
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  deploy_nodes st-soak 1
  on st-soak login sbatch --nodelist=stsoak-a3meganodeset-0 --output=/dev/null --wrap 'exec sleep 4321'
  wait_for pgrep -x -f 'sleep 4321'
  local job point way code rounds=0
  job=$(pgrep -x -f 'sleep 4321')
  for way in "INT client same" "INT client old" "TERM client same" "TERM client old" "KILL client same" "KILL client old" \
    "KILL stopped same" "KILL stopped old"; do
    for point in $(seq 20); do
      code=0
      # shellcheck disable=SC2086
      interrupt_change st-soak $point $way || code=$?
      [ $code -ne 77 ] || break
      [ $code -eq 0 ]
      rounds=$((rounds + 1))
      [ "$(pgrep -x -f 'sleep 4321')" = "$job" ]
      # A point of both directions: with "old" the direction stays, so one more change turns it around.
      [ "${way##* }" = same ] || deploy_nodes st-soak $((3 - $(compute_nodes st-soak | wc -l)))
    done
  done
  echo "# $rounds changes interrupted" >&3
  slipway destroy st-soak
}

@test "soak: changes killed at random times" {
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  deploy_nodes st-soak 1
  local round nodes=2
  for round in $(seq 100); do
    deploy_nodes st-soak $nodes >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
    sleep "0.$(printf %03d $((RANDOM % 900)))"
    clients | xargs -r kill -KILL || true
    wait
    slurm_answers st-soak
    [ $((round % 2)) -eq 0 ] || nodes=$((3 - nodes))
    deploy_nodes st-soak $nodes
    [ "$(compute_nodes st-soak | wc -l)" -eq $nodes ]
    nodes=$((3 - nodes))
  done
  slipway destroy st-soak
}
