# slipway exec: streams, signals, terminal and exit status pass through.

# bats file_tags=user,sanitized
bats_require_minimum_version 1.5.0
load helper

NAME=st-exec

setup_file() { deploy st-exec; }

teardown_file() { slipway destroy st-exec; }

@test "exec: the exit status is the command's" {
  run on $NAME login sh -c 'exit 7'
  [ "$status" -eq 7 ]
}

@test "exec: a missing program gives 127, and a signal gives 128 plus its number" {
  run -127 on $NAME login no-such-command
  fails_with 127 "cannot run no-such-command: No such file or directory"
  run on $NAME login sh -c 'kill -KILL $$'
  [ "$status" -eq 137 ]
}

@test "exec: stdin, stdout and stderr are separate streams" {
  printf 'to stdin' | slipway exec $NAME login -- sh -c 'cat; echo to stderr >&2' >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
  [ "$(cat "$BATS_TEST_TMPDIR/out")" = "to stdin" ]
  [ "$(cat "$BATS_TEST_TMPDIR/err")" = "to stderr" ]
}

@test "exec: a megabyte passes unchanged" {
  head -c 1000000 /dev/urandom >"$BATS_TEST_TMPDIR/bytes"
  slipway exec $NAME login -- cat <"$BATS_TEST_TMPDIR/bytes" | cmp - "$BATS_TEST_TMPDIR/bytes"
}

@test "exec: a signal reaches the command, and its answer comes back" {
  slipway exec $NAME login -- sh -c 'trap "echo got TERM; exit 9" TERM; echo ready; while :; do sleep 0.05; done' >"$BATS_TEST_TMPDIR/out" &
  local client=$!
  wait_for grep -q ready "$BATS_TEST_TMPDIR/out"
  kill -TERM "$(client 'sh -c trap')"
  local code=0
  wait $client || code=$?
  grep -q 'got TERM' "$BATS_TEST_TMPDIR/out"
  [ $code -eq 9 ]
}

@test "exec: on a terminal the command gets a terminal of the node, with the right size" {
  run script --quiet --return --command "stty rows 33 cols 77; $(declare -f as_tester slipway); slipway exec $NAME login -- sh -c 'tty; stty size; exit 5'" /dev/null
  [ "$status" -eq 5 ]
  [[ "$output" == *"/dev/pts/"* ]]
  [[ "$output" == *"33 77"* ]]
}

@test "exec: all is one node after another, also if the command fails on one" {
  run slipway exec $NAME all -- sh -c 'hostname; [ "$(hostname)" != stexec-login-001 ] || exit 3'
  [ "$status" -eq 3 ]
  [ "$output" = "$(printf 'stexec-%s\n' controller login-001 a3meganodeset-{0..3})" ]
  run slipway exec $NAME all
  fails_with 2 "\`all\` needs a command"
}

@test "exec: useradd on the login node says how the user gets known to Slurm, which then works" {
  run on $NAME login useradd --uid 5000 alice
  says "useradd: alice is known on this node only, and Slurm needs it on all. On your computer:
  slipway exec $NAME all -- useradd --uid 5000 alice"
  run -9 slipway exec $NAME all -- useradd --uid 5000 alice
  fails_with 9 "useradd: user 'alice' already exists"
  lacks "known on this node only"
  run slipway exec $NAME login --user alice --chdir /home -- srun --nodes=2 id --user --name
  says $'alice\nalice'
}

@test "exec: when the client is killed, the command is hung up" {
  slipway exec $NAME login -- sleep 98765 &
  wait_for on $NAME login pgrep -f 'sleep 98765' >/dev/null
  kill -KILL "$(client 'sleep 98765')"
  is_hung_up() {
    local code=0
    on $NAME login pgrep -f '^sleep 98765' >/dev/null || code=$?
    [ $code -eq 1 ] # pgrep ran and found none
  }
  wait_for is_hung_up
}

@test "exec: options after the command belong to it, with or without --" {
  run slipway exec $NAME login ls -u -C /etc/hostname
  says "/etc/hostname"
  run slipway exec $NAME login -- sh -c 'echo "$1"' sh --help
  says "--help"
}

@test "exec: in the background, it does not take the shell's keys" {
  cat >"$BATS_TEST_TMPDIR/session" <<EOF
set -m
$(declare -f as_tester slipway)
slipway exec $NAME login -- cat >"$BATS_TEST_TMPDIR/taken" &
sleep 0.5
read -r line
echo "the shell read: \$line"
kill -KILL %1
EOF
  run script --quiet --return --command "bash '$BATS_TEST_TMPDIR/session'" /dev/null <<<"a line"
  [[ "$output" == *"the shell read: a line"* ]]
  [ ! -s "$BATS_TEST_TMPDIR/taken" ]
}

@test "exec: a node can be named by its ending or its role, and a typo gets a suggestion" {
  [[ "$(on $NAME controller hostname)" == *-controller ]]
  [[ "$(on $NAME login hostname)" == *-login-001 ]]
  local first
  first=$(compute_nodes $NAME | head -n 1)
  [ "$(on $NAME "${first#*-}" hostname)" = "$first" ]
  run on $NAME "${first}x" hostname
  fails_with 1 "did you mean \`$first\`?"
}

@test "exec: as another user, with that user's environment and none of the caller's" {
  SECRET_OF_THE_HOST=1 run slipway exec $NAME login --user nobody -- sh -c 'id -un; echo "[$SECRET_OF_THE_HOST]"'
  says "nobody"
  says "[]"
}

@test "exec: a missing deployment is named, with advice" {
  run slipway exec st-none login -- true
  fails_with 1 "there is no deployment \`st-none\`; \`slipway status\` lists them"
}

@test "exec: root becomes another user with su, and so a job with --export=NONE has its user's environment" {
  on $NAME a3meganodeset-0 grep -q ^nobody: /etc/shadow
  run on $NAME a3meganodeset-0 su - nobody --shell /bin/sh -c 'id --user --name'
  says nobody
  on $NAME login sh -c 'printf "#!/bin/sh\necho \"home \$HOME\"\n" >/home/none.sh'
  on $NAME login sbatch --wait --export=NONE --chdir=/home --output=/home/none.out /home/none.sh
  run on $NAME login cat /home/none.out
  says "home /root"
}
