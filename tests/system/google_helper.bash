# A fake Google Cloud in namespaces, for tests of what machines do there.

CLOUD=$SUITE/state/cloud

# cloud_start BLUEPRINT: creates the deployment, and starts the cloud for it, without machines. If MACHINES_IMAGE is
# set, machines start from that root, with its systemd.
cloud_start() {
  cp -r "$TOP/tests/fakes/google" "$TOP/build/tests/fakes/google/machines" "$TOP/build/tests/fakes/google/hardware.so" "$SUITE/"
  cp "$TOP/tests/golden/access_roles.json" "$SUITE/google/"
  as_tester mkdir "$CLOUD"
  slipway create "$1" -o "$CLOUD/created" -l IGNORE
  as_tester python3 -B "$SUITE/google/deploy.py" "$CLOUD/created"/* "$CLOUD"
  make_certificate ca server
  [ -z "${MACHINES_IMAGE:-}" ] || echo "$MACHINES_IMAGE" >"$CLOUD/machines-image"
  as_tester "$SUITE/machines" "$CLOUD" "$SUITE/prefix" "$SUITE/google/google_cloud.py" "$SUITE/hardware.so" >"$SUITE/cloud.out" 2>&1 3>&- &
  echo $! >"$SUITE/cloud.pid"
  wait_for test -e "$CLOUD/ready" || { cat "$SUITE/cloud.out" && false; }
}

cloud_stop() {
  local inside
  inside=$(cat "$CLOUD/pid" 2>/dev/null) || true
  pkill -TERM -P "$(cat "$SUITE/cloud.pid")" 2>/dev/null || kill "$(cat "$SUITE/cloud.pid")" || true
  # A zombie still has its number.
  has_ended() { ! grep -qs '^State:[^Z]*$' "/proc/$1/status"; }
  [ -z "$inside" ] || wait_for has_ended "$inside"
  as_owner rm -rf "$CLOUD"
}

# make_certificate CA NAME: for Google's services, signed by our own authority
make_certificate() {
  local key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
  as_tester sh -ec "cd '$CLOUD'
    openssl req -x509 ${key[*]} -keyout $1.key -out $1.crt -subj '/CN=authority of the tests' -days 2
    openssl req ${key[*]} -keyout $2.key -out $2.csr -subj '/CN=*.googleapis.com'
    echo 'subjectAltName=DNS:*.googleapis.com' >$2.names
    openssl x509 -req -in $2.csr -CA $1.crt -CAkey $1.key -out $2.crt -days 2 -extfile $2.names" 2>/dev/null
}

# cloud_control COMMAND [NAME [VALUE [PROPERTIES]]]: what others do to the cloud: tests/fakes/google/control.py
cloud_control() { as_tester python3 -B "$SUITE/google/control.py" "$CLOUD" "$@"; }

# machine_start NAME...: machines that Terraform makes, or nodes as the controller makes them
machine_start() {
  local name
  for name in "$@"; do cloud_control start "$name"; done
  for name in "$@"; do wait_for test -e "$CLOUD/up/$name"; done
}

# machines_match_slurm CONTROLLER: the nodes that Slurm believes are up are the nodes that have a machine. Tests of
# nodes that come and go call it at their end.
machines_match_slurm() {
  local controller=$1
  up_in_slurm() {
    machine "$controller" sinfo --noheader --Node --format='%N %T' | grep -vE '~$|%$|#$|powered_down|powering|down|unknown' | cut -d' ' -f1 | sort -u
  }
  running_in_cloud() { cloud_control machines | sed -n 's/^\([^ ]*\) .* RUNNING$/\1/p' | grep -vE "^$controller|-login-" | sort -u; }
  they_match() { [ "$(up_in_slurm)" = "$(running_in_cloud)" ]; }
  wait_for they_match || { diff <(up_in_slurm) <(running_in_cloud) || false; }
}

# cloud_destroy: what `terraform destroy` does
cloud_destroy() { as_tester python3 -B "$SUITE/google/deploy.py" --destroy "$CLOUD"; }

# nothing_is_left: no resource and no binding, after a destroy
nothing_is_left() {
  cloud_control settle
  [ -z "$(cloud_control left)" ] || { cloud_control left && false; }
}

# machines_are NAME...: exactly these exist
machines_are() { [ "$(as_tester ls "$CLOUD/instances" | sed -n 's/\.json$//p' | sort)" = "$(printf '%s\n' "$@" | sort)" ]; }

# enter PID COMMAND...: runs it in the namespaces of a process
enter() {
  local pid=$1 user=()
  shift
  [ "$SLIPWAY_TEST_AS" = root ] || user=(-U)
  as_tester nsenter -t "$pid" "${user[@]}" -m -u -i -n -p -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# pid_of_machine NAME: its PID 1
pid_of_machine() {
  local pid known=$SUITE/pid-of-$1
  if [ -e "$known" ] && [ -e "/proc/$(cat "$known")" ]; then cat "$known" && return; fi
  for pid in $(pgrep -P "$(cat "$CLOUD/pid")" "slipway-vm|systemd"); do
    [ "$(enter "$pid" hostname)" = "$1" ] && echo "$pid" | tee "$known" && return
  done
  echo "there is no machine $1" >&2
  return 1
}

# machine NAME COMMAND...: runs the command on the machine
machine() {
  local pid
  pid=$(pid_of_machine "$1") || return
  shift
  enter "$pid" "$@"
}

# boot NAME [option...]: what slipway-node.service does; who boots by hand makes machines by hand
boot() {
  local name=$1
  shift
  machine "$name" touch /etc/slipway/reconcile-by-hand /etc/slipway/follow-by-hand /etc/slipway/export-by-hand
  machine "$name" /opt/slipway/bin/slipway node boot "$@"
}

# node_is_idle CONTROLLER NODE: according to Slurm on that machine
node_is_idle() { machine "$1" sinfo --noheader --Node --format='%N %T' | grep -q "^$2 idle$"; }

# scraped_by CONTROLLER: the machines that Prometheus there has read
scraped_by() {
  machine "$1" sh -c 'curl -sSG --data-urlencode "query=up == 1" "http://$(hostname -I | cut -d" " -f1):9090/api/v1/query"' |
    python3 -c 'import json, sys; print(*sorted(one["metric"]["node"] for one in json.load(sys.stdin)["data"]["result"]))'
}

# new_setting KEY VALUE: sets it in slurm.conf in the bucket, as a deploy would
new_setting() {
  as_tester python3 -B - "$CLOUD" "$1" "$2" <<'PYTHON'
import hashlib, json, pathlib, re, sys
key, value = sys.argv[2:]
[cluster_file] = pathlib.Path(sys.argv[1]).glob("buckets/*/*/cluster.json")
conf = cluster_file.parent / "slurm/slurm.conf"
text, count = re.subn(rf"^{key}=.*$", f"{key}={value}", conf.read_text(), flags=re.M | re.I)
conf.write_text(text if count else f"{text}{key}={value}\n")
cluster = json.loads(cluster_file.read_text())
cluster["files"]["slurm/slurm.conf"] = hashlib.sha256(conf.read_bytes()).hexdigest()
cluster_file.write_text(json.dumps(cluster))
PYTHON
}

# new_value KEY TEXT: sets it in cluster.json in the bucket, as a deploy would
new_value() {
  as_tester python3 -B -c '
import json, pathlib, sys
[cluster_file] = pathlib.Path(sys.argv[1]).glob("buckets/*/*/cluster.json")
cluster_file.write_text(json.dumps(json.loads(cluster_file.read_text()) | {sys.argv[2]: sys.argv[3]}))' "$CLOUD" "$1" "$2"
}

# new_file NAME: writes stdin to a file of the cluster in the bucket, as a deploy would
new_file() {
  as_tester python3 -B -c '
import hashlib, json, pathlib, sys
[cluster_file] = pathlib.Path(sys.argv[1]).glob("buckets/*/*/cluster.json")
file, text = cluster_file.parent / sys.argv[2], sys.stdin.buffer.read()
file.parent.mkdir(parents=True, exist_ok=True)
file.write_bytes(text)
cluster = json.loads(cluster_file.read_text())
cluster["files"][sys.argv[2]] = hashlib.sha256(text).hexdigest()
cluster_file.write_text(json.dumps(cluster))' "$CLOUD" "$1"
}
