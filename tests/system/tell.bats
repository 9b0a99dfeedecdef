# `slipway tell`: people learn of drains and failed jobs, by a program, a real HTTP server, and a replacement of sendmail.

# bats file_tags=long

load helper
load health_helper

NAME=st-tell
N=sttell-a3meganodeset

# The three ways write what they get into files of /told, on the controller.
setup_file() {
  cp "$BLUEPRINT" "$SUITE/tell-cluster.yaml"
  cat >>"$SUITE/tell-cluster.yaml" <<'END'

settings:
  controller:
    health_policy:
      tell:
        program: /told/hook
        webhook: http://127.0.0.1:8099/services/secret
        mail: [ops@example.com]
        sendmail: /told/sendmail
END
  slipway deploy "$SUITE/tell-cluster.yaml" --vars deployment_name=$NAME --nodes a3mega_nodeset=2
  slurm_checks_every 0
  on $NAME controller sh -c 'mkdir -m 755 /told && cat >/told/server.py' <<'END'
import http.server


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with open("/told/webhook", "a", encoding="utf-8") as file:
            file.write(f"{self.path} {body}\n")
        self.send_response(200)
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", 8099), Handler).serve_forever()
END
  on $NAME controller sh -c 'printf "#!/bin/sh\ncat >>/told/program\n" >/told/hook; chmod 755 /told/hook
    printf "#!/bin/sh\necho \"\$@\" >>/told/mail\ncat >>/told/mail\n" >/told/sendmail; chmod 755 /told/sendmail
    setsid python3 /told/server.py >/dev/null 2>&1 </dev/null &'
}

teardown_file() { slipway destroy $NAME; }

teardown() { leave_nothing $N-0 $N-1; }

told() { on $NAME controller cat "/told/$1"; }
has_told() { told "$1" 2>/dev/null | grep -qF -- "$2"; }
last_reading() { on $NAME controller stat --format=%y /var/lib/slipway/tell.json; }
has_read_after() { [ "$(last_reading)" != "$1" ]; }
job_runs() { on $NAME controller scontrol show job "$1" | grep -q JobState=RUNNING; }
has_begun() { on $NAME controller test -e /var/lib/slipway/tell.json; }

@test "tell: a test message arrives in all three ways" {
  wait_for on $NAME controller sh -c 'grep -q ":1FA3 " /proc/net/tcp'  # 8099
  run on $NAME controller slipway tell test
  [ "$status" -eq 0 ]
  [ "$output" = "program: taken
webhook: taken
mail: taken" ]
  has_told webhook '/services/secret {"text":"slipway: sttell: a test of `slipway tell`"}'
}

@test "tell: a drain has the reason that Slurm has, and comes once" {
  local reason
  wait_for has_begun
  fault $N-1 gpu-lost 2
  run look $N-1
  reason=$(reason_of $N-1)
  [[ $reason == *"(slipway health)"* ]]
  wait_for has_told mail "slipway: sttell: $N-1 drained: $reason"
  has_told webhook "{\"text\":\"slipway: sttell: $N-1 drained: $reason\"}"
  told program | tail -1 >"$BATS_TEST_TMPDIR/told.json"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/told-1.schema.json" "$BATS_TEST_TMPDIR/told.json"
  python3 -c 'import json, sys; told = json.load(open(sys.argv[1])); assert (told["event"], told["node"], told["text"]) == ("drain", sys.argv[2], sys.argv[3]), told' \
    "$BATS_TEST_TMPDIR/told.json" $N-1 "$reason"
  has_told mail 'ops@example.com'
  slipway fault $NAME $N-1 clear
  serves_again $N-1
}

@test "tell: a failed job on two nodes makes a message, and on one node none; nothing names the webhook's path" {
  local one two
  one=$(on $NAME login sbatch --parsable --nodes=1 --output=/dev/null --wrap 'exit 3')
  two=$(on $NAME login sbatch --parsable --nodes=2 --output=/dev/null --job-name='$(touch /told/shell)' --wrap 'exit 3')
  wait_for has_told webhook "job $two failed: its script failed, on 2 nodes, of user root"
  [ "$(told webhook | grep -cF "$N-1 drained")" -eq 1 ]
  [ "$(told webhook | grep -c "job $one failed")" -eq 0 ]
  run on $NAME controller test -e /told/shell
  [ "$status" -eq 1 ]
  run on $NAME controller grep -q secret /var/log/slurm/tell.log
  [ "$status" -eq 1 ]
}

# bats test_tags=thorough
@test "tell: a job that lost its last spare makes one message, whatever else its comment says" {
  local job before
  job=$(on $NAME login sbatch --parsable --nodes=2 --output=/dev/null --comment='mine' --wrap 'sleep 600')
  wait_for job_runs "$job"
  # As its launcher does.
  on $NAME login scontrol update "jobid=$job" "comment=mine
$job|FAILED|root|64|; slipway launch: no spare node is left, 1 blamed"
  before=$(last_reading)
  wait_for has_read_after "$before"
  before=$(last_reading)
  wait_for has_read_after "$before"  # one reading may have begun before the comment was there
  [ "$(told webhook | grep -c "job $job")" -eq 0 ]
  on $NAME login scontrol update "jobid=$job" 'comment=mine; slipway launch: no spare node is left, 1 blamed'
  wait_for has_told webhook "job $job has no spare node: 1 node blamed so far, on 2 nodes, of user root"
  on $NAME login scancel "$job"
}

@test "tell: a program that others may change is not run" {
  on $NAME controller chmod 777 /told/hook
  run on $NAME controller slipway tell test
  fails_with 1 "program: /told/hook can be changed by other users"
  [[ $output == *"webhook: taken"* ]]
}
