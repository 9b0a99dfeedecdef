# A monitored cluster: real Prometheus scrapes every node, jobs show up, each fault raises its alert.

# bats file_tags=long

load helper
load health_helper

NAME=st-monitoring
N=stmonitori-a3meganodeset
METRICS=9817

setup_file() {
  cp "$TOP/examples/quickstart.yaml" "$SUITE/monitoring.yaml"
  printf '\nsettings:\n  controller: {monitoring: prometheus}\n' >>"$SUITE/monitoring.yaml"
  slipway deploy "$SUITE/monitoring.yaml" --vars deployment_name=$NAME --nodes a3mega_nodeset=15
  slurm_checks_every 0
  write_program /home/count.sh <<'END'
#!/bin/bash
for ((step = 0; step < 2000; ++step)); do echo $step >"$SLIPWAY_PROGRESS"; sleep 0.2; done
END
}

teardown_file() { slipway destroy $NAME; }

teardown() { leave_nothing $(compute_nodes $NAME); }

# scrape HOST [curl option...]: as Prometheus does, from the controller
scrape() {
  local host=$1
  shift
  on $NAME controller curl -sS "$@" "http://$host:$METRICS/metrics"
}

# ask EXPRESSION: how many series Prometheus has for it
ask() {
  on $NAME controller sh -c 'curl -sSG --data-urlencode "query=$1" "http://$(hostname -I | cut -d" " -f1):9090/api/v1/query"' sh "$1" |
    python3 -c 'import json, sys; print(len(json.load(sys.stdin)["data"]["result"]))'
}
has_series() { [ "$(ask "$1")" -gt 0 ]; }

metric_is() { scrape "$1" | grep -qxF -- "$2"; }

@test "monitoring: every node serves metrics that promtool accepts, on the cluster's network only" {
  local host
  for host in $N-0 $N-3 ${N%-*}-controller ${N%-*}-login-001; do
    wait_for scrape "$host" -o /dev/null -f
    scrape "$host" >"$BATS_TEST_TMPDIR/metrics"
    promtool check metrics <"$BATS_TEST_TMPDIR/metrics"
    grep -q '^slipway_node_info' "$BATS_TEST_TMPDIR/metrics"
  done
  wait_for metric_is $N-0 "slipway_gpus{node=\"$N-0\"} 8"
  scrape $N-0 -H 'Accept: application/openmetrics-text' | tail -1 | grep -qx '# EOF'
  run on $NAME $N-0 curl -sS --max-time 5 "http://127.0.0.1:$METRICS/metrics"
  [ "$status" -ne 0 ]
}

@test "monitoring: the service belongs to an ordinary user" {
  run on $NAME $N-0 sh -c 'ps -o user= -p $(pgrep -f "slipway metrics serve")'
  says nobody
}

@test "monitoring: Slurm's state, read once for all" {
  wait_for metric_is "${N%-*}-controller" 'slipway_slurm_up 1'
  # The first reading may be older than the nodes' start.
  wait_for metric_is "${N%-*}-controller" "slipway_slurm_node_state{node=\"$N-3\",state=\"idle\"} 1"
  run on $NAME controller curl -sS "http://${N%-*}-controller:$METRICS/targets"
  says "\"$N-3:$METRICS\""
}

@test "monitoring: a job's progress, its GPUs and its labels, which go with it" {
  local job user_words
  on $NAME login sh -c 'cat >/home/watched.sbatch' <<'END'
#!/bin/bash
#SBATCH --nodes=2 --gres=gpu:8 --no-kill --output=/home/watched.out --chdir=/home --job-name=secret-name
export SECRET=secret-value
/opt/slipway/bin/slipway launch -- /home/count.sh secret-argument
END
  job=$(on $NAME login sbatch --parsable /home/watched.sbatch)
  wait_for on $NAME $N-0 test -e /run/slipway/jobs/"$job"
  on $NAME $N-0 grep -qx "$job" /run/slipway/gpu-jobs/7
  steps_are_there() { scrape $N-0 | grep -qE "^slipway_job_steps_kept\{job=\"$job\"\} [1-9]"; }
  wait_for steps_are_there
  wait_for metric_is $N-0 "slipway_gpu_job{node=\"$N-0\",gpu=\"7\",job=\"$job\"} 1"
  wait_for has_series "slipway_slurm_job_info{job=\"$job\",user=\"root\"}"
  user_words=$({ scrape $N-0 && scrape "${N%-*}-controller"; } | grep -c secret || true)
  [ "$user_words" -eq 0 ]
  # What shows the job in dashboards and on the page has data now.
  local expression
  while read -r expression; do wait_for has_series "$expression"; done < <(every_expression)
  slipway exec $NAME controller -- /opt/slipway/bin/slipway metrics page >"$SUITE/page.html"
  grep -q "<td>$job</td>" "$SUITE/page.html"
  # A stepd that is killed does not keep the job's files.
  on $NAME $N-1 pkill -KILL -x slurmstepd || true
  on $NAME login scancel "$job" || true
  files_are_gone() { ! on $NAME "$1" test -e /run/slipway/jobs/"$job" && ! on $NAME "$1" test -e /run/slipway/gpu-jobs/7; }
  wait_for files_are_gone $N-0
  wait_for files_are_gone $N-1
}

# What dashboards ask, with all values of their variables, where a healthy cluster with a job has data: no test of
# bandwidth was recorded.
every_expression() {
  python3 - "$TOP/blueprints/monitoring/dashboards" <<'END'
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    for panel in json.loads(path.read_text())["panels"]:
        for target in panel["targets"]:
            expression = target["expr"].replace("$node", ".*").replace("$job", ".*")
            if "slipway_bandwidth" not in expression:
                print(expression)
END
}

@test "monitoring: recorded bandwidth tests" {
  on $NAME login sh -c 'cd /home && sbatch --wait --nodes=2 --ntasks-per-node=1 --output=/dev/null --wrap "srun /opt/slipway/bin/all_gather_perf -b 1K -e 64K -f 2 --report /home/all_gather.json"'
  on $NAME controller slipway bandwidth record --database /var/lib/slipway/bandwidth.db /home/all_gather.json
  wait_for has_series slipway_bandwidth_bus_bytes_per_second
  has_series 'time() - slipway_bandwidth_timestamp_seconds'
}

@test "monitoring: node_exporter of Debian serves the file that print --textfile writes" {
  on $NAME $N-0 mkdir /run/textfile
  on $NAME $N-0 slipway metrics print --part node --textfile /run/textfile/slipway.prom
  on $NAME $N-0 sh -c 'setsid prometheus-node-exporter --collector.disable-defaults --collector.textfile \
    --collector.textfile.directory=/run/textfile --web.listen-address=127.0.0.1:9100 >/run/textfile/log 2>&1 </dev/null &'
  exported() { on $NAME $N-0 curl -sSf http://127.0.0.1:9100/metrics 2>/dev/null; }
  wait_for exported
  exported >"$BATS_TEST_TMPDIR/exported"
  on $NAME $N-0 pkill -x prometheus-node
  grep -qx 'node_textfile_scrape_error 0' "$BATS_TEST_TMPDIR/exported"
  grep -qF 'node_textfile_mtime_seconds{file="/run/textfile/slipway.prom"}' "$BATS_TEST_TMPDIR/exported"
  # Every metric of the file arrives.
  on $NAME $N-0 sed -n 's/^\(slipway_[a-z_]*\).*/\1/p' /run/textfile/slipway.prom | sort -u >"$BATS_TEST_TMPDIR/written"
  grep -q slipway_node_info "$BATS_TEST_TMPDIR/written"
  sed -n 's/^\(slipway_[a-z_]*\).*/\1/p' "$BATS_TEST_TMPDIR/exported" | sort -u | diff "$BATS_TEST_TMPDIR/written" -
}

@test "monitoring: alertmanager of Debian passes an alert on, with the node's name, and its end" {
  on $NAME controller sh -c 'mkdir -p /run/alerts && cat >/run/alerts/receiver.py' <<'END'
import http.server


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open("/run/alerts/received", "ab") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])) + b"\n")
        self.send_response(200)
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", 8098), Handler).serve_forever()
END
  on $NAME controller sh -c 'cat >/run/alerts/alertmanager.yml' <<'END'
route: {receiver: us, group_by: [alertname, node], group_wait: 1s, group_interval: 2s}
receivers:
- name: us
  webhook_configs: [{url: "http://127.0.0.1:8098/", send_resolved: true}]
END
  on $NAME controller sh -c 'cd /run/alerts
    setsid python3 receiver.py >/dev/null 2>&1 </dev/null &
    setsid prometheus-alertmanager --config.file=/run/alerts/alertmanager.yml --storage.path=/run/alerts/data --cluster.listen-address= \
      --web.listen-address=127.0.0.1:9093 >/run/alerts/log 2>&1 </dev/null &
    echo "alerting: {alertmanagers: [{static_configs: [{targets: [\"127.0.0.1:9093\"]}]}]}" >>/etc/slipway/prometheus/prometheus.yml
    pkill -HUP -x prometheus'
  # received STATUS: the alert of the node with this status has arrived
  received() {
    on $NAME controller cat /run/alerts/received 2>/dev/null | python3 -c '
import json, sys
alerts = [alert for line in sys.stdin if line.strip() for alert in json.loads(line)["alerts"]]
wanted = [a for a in alerts if a["labels"].get("node") == sys.argv[2] and a["labels"]["alertname"] == "SlipwayGpuLost"]
sys.exit(not any(a["status"] == sys.argv[1] for a in wanted))' "$1" $N-4
  }
  fault $N-4 gpu-lost 2
  wait_for received firing
  slipway fault $NAME $N-4 clear
  wait_for received resolved
  on $NAME controller sh -c 'pkill -x prometheus-aler; pkill -f "^python3 receiver"'
}

# bats test_tags=thorough
@test "monitoring: each fault raises exactly its alert, with the node's name, and the alert ends with it" {
  cp "$BATS_TEST_DIRNAME/alerts.py" "$SUITE/"
  as_tester python3 -B "$SUITE/alerts.py" "$SUITE/prefix/bin/slipway" $NAME $(compute_nodes $NAME)
}
