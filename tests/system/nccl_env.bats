# The SPANK plugin nccl_env in a real Slurm.

# bats file_tags=user
load helper

NAME=st-nccl

setup_file() { deploy st-nccl; }

teardown_file() { slipway destroy st-nccl; }

# Runs srun on all nodes and prints the NCCL variables of each task. --quiet, here and below: while nodes are still busy
# with the previous job, srun would report that it waits for them.
nccl_of_tasks() { on $NAME login srun --quiet --nodes=4 --gpus-per-node=1 "$@" sh -c 'env | grep ^NCCL_ | sort; true'; }

@test "nccl_env: every task gets the socket variables of its node's transport" {
  run nccl_of_tasks
  [ "$(grep -c '^NCCL_SOCKET_IFNAME==enp0s12$' <<<"$output")" -eq 4 ]
  [ "$(grep -c '^NCCL_NET=Socket$' <<<"$output")" -eq 4 ]
}

@test "nccl_env: a value that the user set wins" {
  run on $NAME login sh -c 'export NCCL_SOCKET_IFNAME=lo; srun --quiet --nodes=4 --gpus-per-node=1 sh -c "echo \$NCCL_SOCKET_IFNAME"'
  [ "$(sort -u <<<"$output")" = lo ]
}

@test "nccl_env: --nccl-env=off leaves the job alone" {
  run nccl_of_tasks --nccl-env=off
  says ""
  [ "$output" = "" ]
}

@test "nccl_env: --nccl-env=show prints once what was set and why, on stderr" {
  on $NAME login srun --nodes=4 --gpus-per-node=1 --nccl-env=show true 2>"$BATS_TEST_TMPDIR/shown" >"$BATS_TEST_TMPDIR/stdout"
  [ "$(grep -c 'NCCL_SOCKET_IFNAME' "$BATS_TEST_TMPDIR/shown")" -eq 1 ]
  [ ! -s "$BATS_TEST_TMPDIR/stdout" ]
}

@test "nccl_env: an unknown choice is refused before the job is submitted" {
  run on $NAME login sbatch --nccl-env=shwo --wrap true
  [ "$status" -ne 0 ]
  [[ "$output" == *shwo* ]]
  [[ "$output" == *show* ]]
  run on $NAME login squeue --noheader --states=all --name=wrap
  [ "$output" = "" ]
}

@test "nccl_env: through sbatch, srun's tasks get it, with sbatch's choice" {
  on $NAME login sh -c 'cat > /home/nccl.sh' <<'EOF'
#!/bin/sh
srun --quiet sh -c 'echo "[$NCCL_SOCKET_IFNAME]"'
EOF
  # Each takes all nodes: when the second has ended, so has the first.
  on $NAME login sbatch --nodes=4 --gpus-per-node=1 --output=/home/on.out /home/nccl.sh
  on $NAME login sbatch --wait --nodes=4 --gpus-per-node=1 --nccl-env=off --output=/home/off.out /home/nccl.sh
  [ "$(on $NAME login sort -u /home/on.out)" = "[=enp0s12]" ]
  [ "$(on $NAME login sort -u /home/off.out)" = "[]" ]
}

@test "nccl_env: off stays off in a batch script that gets nothing of the user's environment" {
  on $NAME login sbatch --wait --export=NONE --nccl-env=off --output=/home/none.out --wrap '/usr/bin/env | grep NCCL; true'
  run on $NAME login cat /home/none.out
  says ""
  [ "$output" = "" ]
}

@test "nccl_env: a broken node.json affects neither the job nor the node" {
  local first
  first=$(compute_nodes $NAME | head -n 1)
  on $NAME "$first" sh -c 'cp /etc/slipway/node.json /tmp/; echo "{" > /etc/slipway/node.json'
  run on $NAME login srun --nodelist="$first" --gpus-per-node=1 sh -c 'echo "[$NCCL_NET]"'
  on $NAME "$first" cp /tmp/node.json /etc/slipway/node.json
  says "[]"
  run on $NAME controller sinfo --noheader --format=%T
  says "idle"
}

# The values of a job's tasks, one per line and each once.
values='srun --quiet --nodes=2 sh -c "echo [\$NCCL_NET]" | sort -u'

@test "nccl_env: salloc, an array, several steps and --export=NONE get it, too" {
  run on $NAME login salloc --quiet --nodes=2 --gpus-per-node=1 sh -c "$values; $values"
  says "$(printf '[Socket]\n[Socket]')"
  on $NAME login sbatch --wait --quiet --array=1-2 --nodes=2 --gpus-per-node=1 --output=/home/array.%a --wrap "$values"
  [ "$(on $NAME login cat /home/array.1 /home/array.2)" = "$(printf '[Socket]\n[Socket]')" ]
  # Without PATH.
  on $NAME login sbatch --wait --quiet --export=NONE --nodes=2 --gpus-per-node=1 --output=/home/none \
    --wrap '/usr/bin/srun --quiet --nodes=2 /bin/sh -c "echo [\$NCCL_NET]"'
  [ "$(on $NAME login cat /home/none)" = "$(printf '[Socket]\n[Socket]')" ]
}

@test "nccl_env: both parts of a heterogeneous job get it, though each has one node" {
  # Without PMIx, which is not needed here: docs/decisions/0031-fences-of-one-kind.md, at its end.
  run on $NAME login srun --mpi=none --nodes=1 --gpus-per-node=1 sh -c 'echo "1 [$NCCL_NET]"' : --mpi=none --nodes=1 --gpus-per-node=1 sh -c 'echo "2 [$NCCL_NET]"'
  says "1 [Socket]"
  says "2 [Socket]"
}

@test "nccl_env: a requeued job gets the same values" {
  on $NAME login sh -c 'cat >/home/requeue.sh' <<EOF
#!/bin/sh
$values >>/home/requeue.values
[ "\${SLURM_RESTART_COUNT:-0}" -gt 0 ] || { scontrol requeue "\$SLURM_JOB_ID"; sleep 60; }
EOF
  local job
  job=$(on $NAME login sbatch --parsable --requeue --nodes=2 --gpus-per-node=1 --output=/dev/null /home/requeue.sh)
  has_run() { [ "$(on $NAME login grep -c Socket /home/requeue.values 2>/dev/null)" = "$1" ]; }
  wait_for has_run 1
  # Slurm holds a requeued job back for two minutes. It may start earlier, but not in the second in which the nodes
  # learned that it had ended: they would take it for the same one.
  is_held() { [ "$(on $NAME login squeue --noheader --jobs="$job" --format='%T %r')" = "PENDING BeginTime" ]; }
  wait_for is_held
  sleep 2
  on $NAME login scontrol update "jobid=$job" starttime=now
  wait_for has_run 2
  [ "$(on $NAME login cat /home/requeue.values)" = "$(printf '[Socket]\n[Socket]')" ]
}

@test "nccl_env: jobs without GPUs and on one node get nothing, and show explains why" {
  run on $NAME login srun --nodes=2 --nccl-env=show sh -c 'env | grep ^NCCL_; true'
  says "nothing is set: the step has no GPUs"
  lacks "^NCCL_"
  run on $NAME login srun --quiet --nodes=1 --gpus-per-node=1 sh -c 'env | grep ^NCCL_; true'
  [ "$output" = "" ]
}

@test "nccl_env: warn sets nothing and reports differences" {
  run on $NAME login sh -c 'NCCL_NET=IB srun --nodes=2 --gpus-per-node=1 --nccl-env=warn sh -c "echo [\$NCCL_SOCKET_IFNAME]"'
  says "NCCL_NET            IB         Socket"
  says "NCCL_SOCKET_IFNAME  (not set)  =enp0s12"
  says "[]"
}

# with_transport NODES...: these nodes have a complete transport; its files are in /var/tcpxo of each node, its daemon
# is a fake.
with_transport() {
  local node
  write_program /home/rxdm.py <"$TOP/tests/fakes/rxdm.py"
  for node in "$@"; do
    on $NAME "$node" python3 -c '
import json, os
kept = "/var/node.json"
if not os.path.exists(kept): os.system("cp /etc/slipway/node.json " + kept)
profile = json.load(open(kept))
os.makedirs("/var/tcpxo", exist_ok=True)
open("/var/tcpxo/libnccl-net.so", "w").write("plugin")
open("/var/tcpxo/libnccl.so.2", "w").write("NCCL version 2.28.7+cuda")
open("/var/tcpxo/profile.sh", "w").write("export NCCL_FASTRAK_IFNAME=\"${gpu_nics}\"\nexport NCCL_PROTO=Simple\n")
profile["transport"] = {
  "name": "tcpxo",
  "environment": [{"name": "NCCL_PROTO", "value": "of the catalogue", "why": "a"},
                  {"name": "NCCL_CROSS_NIC", "value": "0", "why": "b"}],
  "vendor_profile": {"path": "/var/tcpxo/profile.sh", "inputs": {"gpu_nics": "enp6s0,enp7s0"}},
  "libraries": {"folder": "/var/tcpxo", "names": ["libnccl-net.so"], "must_agree": True},
  "daemon": {"name": "rxdm", "command": ["/home/rxdm.py", "--socket", "/run/rx/rx"], "socket": "/run/rx/*", "deadline_seconds": 20},
  "fatal": [{"nccl_below": "2.29.3", "variable": "NCCL_ALGO", "value": "Tree", "why": "Tree has no all_gather"}]}
json.dump(profile, open("/etc/slipway/node.json", "w"))'
  done
}

without_transport() {
  local node
  for node in $(compute_nodes $NAME); do
    on $NAME "$node" sh -c 'test -e /var/node.json && cat /var/node.json >/etc/slipway/node.json; true'
  done
}

# Slurm's files belong to the deployment; a test's changes apply when they are reread.
slurm_file() { echo "$(deployments_folder)/$NAME/slurm/$1"; }
as_owner() { as_tester sh -c "$1"; }

@test "nccl_env: the transport's daemon is ready before a job's tasks begin, and ends with the job" {
  mapfile -t nodes < <(compute_nodes $NAME | head -n 2)
  with_transport "${nodes[@]}"
  as_owner "printf 'Prolog=/opt/slipway/libexec/slipway/prolog\nEpilog=/opt/slipway/libexec/slipway/epilog\n' >>$(slurm_file slurm.conf)"
  on $NAME controller scontrol reconfigure
  # This reaches the nodes' slurmd later: the command does not wait for it.
  local node
  for node in "${nodes[@]}"; do on $NAME "$node" /opt/slipway/bin/slipway node restart slurmd; done
  run on $NAME login srun --nodelist="${nodes[0]},${nodes[1]}" --gpus-per-node=8 --nccl-env=show \
    sh -c 'test -S /run/rx/rx && echo serves; echo "$NCCL_FASTRAK_IFNAME $NCCL_PROTO $NCCL_CROSS_NIC $LD_LIBRARY_PATH"'
  [ "$status" -eq 0 ]
  [ "$(grep -c '^serves$' <<<"$output")" -eq 2 ]
  [ "$(grep -c '^enp6s0,enp7s0 Simple 0 /var/tcpxo$' <<<"$output")" -eq 2 ]
  says "slipway: vendor"
  lacks "does not answer"
  ended() { on $NAME "$1" sh -c 'grep -h . /var/log/slurm/rxdm-*.log' | grep -q "fake rxdm: ends"; }
  for node in "${nodes[@]}"; do wait_for ended "$node"; done
  # Not for a job on one node.
  run on $NAME login srun --nodelist="${nodes[0]}" --gpus-per-node=8 sh -c 'pgrep -f "^python3 /home/rxdm" || echo none'
  says none
}

@test "nccl_env: a combination that cannot work ends the job with one message, and the nodes stay in service" {
  on $NAME login sbatch --wait --quiet --nodelist="$(compute_nodes $NAME | head -n 2 | paste -sd,)" --nodes=2 --gpus-per-node=8 --output=/home/fatal \
    --wrap "NCCL_ALGO=Tree srun --ntasks=4 echo ran; echo status \$?"
  run on $NAME login cat /home/fatal
  says "status 1"
  lacks "^ran$"
  [ "$(grep -c "this job cannot work: .*Tree has no all_gather (NCCL 2.28.7)" <<<"$output")" -eq 1 ]
  run on $NAME controller sinfo --noheader --format=%T
  lacks -e drain -e down
}

@test "nccl_env: a node whose libraries differ from the first node's ends the job with a message" {
  mapfile -t nodes < <(compute_nodes $NAME | head -n 2)
  on $NAME "${nodes[1]}" sh -c 'echo other >/var/tcpxo/libnccl-net.so'
  run on $NAME login sbatch --wait --quiet --nodelist="${nodes[0]},${nodes[1]}" --nodes=2 --gpus-per-node=8 --output=/home/differs --wrap "srun --kill-on-bad-exit=1 echo ran"
  run on $NAME login cat /home/differs
  says "this job cannot work: ${nodes[1]}: this node's transport libraries differ from the submit host's"
  lacks "cannot work: ${nodes[0]}"
}

@test "nccl_env: a vendor's profile with shell tricks gives one warning, and nothing in it runs" {
  mapfile -t nodes < <(compute_nodes $NAME | head -n 2)
  local node
  for node in "${nodes[@]}"; do
    on $NAME "$node" sh -c 'echo plugin >/var/tcpxo/libnccl-net.so; cat >/var/tcpxo/profile.sh' <<'EOF'
export NCCL_PROTO=$(touch /var/owned; echo LL)
export NCCL_TUNER_PLUGIN=none
source /var/owned.sh
EOF
  done
  run on $NAME login srun --nodelist="${nodes[0]},${nodes[1]}" --gpus-per-node=8 sh -c 'echo "[$NCCL_PROTO $NCCL_TUNER_PLUGIN]"; ls /var/owned 2>/dev/null; true'
  [ "$status" -eq 0 ]
  [ "$(grep -c 'skipped lines 1, 3 of /var/tcpxo/profile.sh' <<<"$output")" -eq 1 ]
  [ "$(grep -c '^\[of the catalogue none\]$' <<<"$output")" -eq 2 ]
  lacks "^/var/owned"
  # Nor can the plugin be used to read a profile that only root can read.
  on $NAME "${nodes[0]}" chmod 000 /var/tcpxo/profile.sh
  run on $NAME login runuser -u nobody -- srun --chdir=/ --nodelist="${nodes[0]},${nodes[1]}" --gpus-per-node=8 sh -c 'echo "[$NCCL_TUNER_PLUGIN]"'
  [ "$status" -eq 0 ]
  says "skipping the vendor profile: cannot read /var/tcpxo/profile.sh: Permission denied"
  without_transport
}

# in_image WHERE OPTION... COMMAND: srun on two nodes under the stand-in of pyxis, whose line is above or below nccl_env's
# in plugstack.conf, with an image that sets everything that it can.
in_image() {
  local where=$1 line
  shift
  on $NAME login sh -c 'cat >/home/fake_pyxis.so' <"$TOP/build/tests/fakes/spank/fake_pyxis.so"
  line="optional /home/fake_pyxis.so ${image_options:-} NCCL_NET=IB NCCL_SOCKET_IFNAME=eth9 NCCL_DEBUG=TRACE NCCL_ALGO=Ring LD_PRELOAD=/of/image.so"
  [ "$where" = below ] && as_owner "sed -i '\$a $line' $(slurm_file plugstack.conf)"
  [ "$where" = above ] && as_owner "sed -i '1i $line' $(slurm_file plugstack.conf)"
  run on $NAME login sh -c "NCCL_DEBUG=WARN srun --quiet --nodes=2 --gpus-per-node=1 $*"
  as_owner "sed -i '/fake_pyxis/d' $(slurm_file plugstack.conf)"
}

# The stand-in's LD_PRELOAD makes ld.so complain about a file that is not there.
effective='sh -c "echo [\$NCCL_NET \$NCCL_SOCKET_IFNAME \$NCCL_DEBUG \$NCCL_ALGO]"'

@test "nccl_env: what nccl_env and the user set holds against an image, in both orders of plugstack.conf" {
  for where in above below; do
    in_image $where "$effective"
    [ "$(grep -cFx '[Socket =enp0s12 WARN Ring]' <<<"$output")" -eq 2 ] || { echo "$where: $output" && return 1; }
    lacks "the container image won"
  done
}

@test "nccl_env: --nccl-env=show names the image as an origin" {
  in_image above --nccl-env=show "$effective"
  grep -q '^  NCCL_NET  *Socket  *slipway: transport  .*; the image has `IB`' <<<"$output"
  grep -q '^  NCCL_DEBUG  *WARN  *user  *the image has `TRACE`' <<<"$output"
  grep -q '^  NCCL_ALGO  *Ring  *image  *set by the image alone' <<<"$output"
  says "the container image decides about LD_PRELOAD=/of/image.so, NCCL_ALGO=Ring"
}

@test "nccl_env: if an image wins after all, the job learns which variable" {
  # On the command line, --container-env replaces the names that nccl_env asks to keep. The program waits until it has been looked at.
  image_options=--container-env=NCCL_NET in_image below \
    "sh -c 'echo [\$NCCL_NET \$NCCL_DEBUG]; sleep 3'"
  [ "$(grep -cFx '[Socket TRACE]' <<<"$output")" -eq 2 ]
  [ "$(grep -c 'the container image won: NCCL_DEBUG is `TRACE`, not `WARN`; put nccl_env below pyxis' <<<"$output")" -eq 2 ]
  [ "$(grep -c 'the container image won: NCCL_SOCKET_IFNAME is `eth9`, not `=enp0s12`' <<<"$output")" -eq 2 ]
  lacks "won: NCCL_NET "
}

# hostile_image: an image that sets what it can and lacks the transport's libraries, at /home/hostile.sqsh
hostile_image() {
  "$BATS_TEST_DIRNAME/container_image.py" "$BATS_FILE_TMPDIR/hostile.sqsh" --env NCCL_NET=IB --env NCCL_PROTO=LL \
    --env NCCL_DEBUG=TRACE --env NCCL_ALGO=Ring --env LD_LIBRARY_PATH=/of/image --env LD_PRELOAD=/of/image.so
  on $NAME login sh -c 'cat >/home/hostile.sqsh' <"$BATS_FILE_TMPDIR/hostile.sqsh"
}

# in_hostile OPTION...: what a task sees in it on two nodes with a transport, which has the library of its node. It stays for
# `linger` seconds.
in_hostile() {
  run on $NAME login sh -c "NCCL_DEBUG=WARN srun --quiet --nodelist=${nodes[0]},${nodes[1]} --gpus-per-node=8 $* \
    --container-image=/home/hostile.sqsh sh -c 'echo [\$NCCL_PROTO \$NCCL_CROSS_NIC \$NCCL_DEBUG \$NCCL_ALGO \$LD_LIBRARY_PATH \$(cat /var/tcpxo/libnccl-net.so)]; sleep ${linger:-0}'"
}

@test "nccl_env: a real container of a hostile image, in both orders of plugstack.conf, has our values and the node's library" {
  mapfile -t nodes < <(compute_nodes $NAME | head -n 2)
  with_transport "${nodes[@]}"
  hostile_image
  in_hostile
  [ "$(grep -cFx '[Simple 0 WARN Ring /var/tcpxo:/of/image plugin]' <<<"$output")" -eq 2 ] || { echo "$output" && return 1; }
  lacks "the container lacks"
  says "the container image decides about LD_PRELOAD=/of/image.so, NCCL_ALGO=Ring"
  in_hostile --nccl-env=show
  grep -q '^  NCCL_NET .*; the image has `IB`\|^  NCCL_DEBUG  *WARN  *user  *the image has `TRACE`' <<<"$output"

  local plugstack
  plugstack=$(slurm_file plugstack.conf)
  as_owner "cp $plugstack $plugstack.kept; sed -i -e '/nccl_env.so/d' -e '1i optional /opt/slipway/lib/slipway/spank/nccl_env.so' $plugstack"
  linger=3 in_hostile # until it has been looked at
  as_owner "mv $plugstack.kept $plugstack"
  without_transport
  # Above the container's plugin, nccl_env cannot add its folder to that of the image, and says so.
  [ "$(grep -cFx '[Simple 0 WARN Ring /of/image plugin]' <<<"$output")" -eq 2 ] || { echo "$output" && return 1; }
  [ "$(grep -c 'the container image won: LD_LIBRARY_PATH is `/of/image`' <<<"$output")" -eq 2 ]
  lacks "the container image won: NCCL"
}

@test "nccl_env: with --nccl-watch, a task has the plugin for NCCL where it is named, in a container, too" {
  local image
  hostile_image
  for image in "" "--container-image=/home/hostile.sqsh"; do
    run on $NAME login sh -c "srun --quiet --nodes=1 --gpus-per-node=8 --nccl-watch $image \
      sh -c 'test -f \$NCCL_PROFILER_PLUGIN && echo [\$NCCL_PROFILER_PLUGIN \$NCCL_INSPECTOR_ENABLE]'"
    says "[/opt/slipway/lib/slipway/nccl/libnccl-profiler-slipway.so 1]"
    lacks "the container lacks"
  done
}

@test "nccl_env: an unknown transport and a wrong argument in plugstack.conf affect neither job nor node" {
  local first
  first=$(compute_nodes $NAME | head -n 1)
  on $NAME "$first" sed -i 's/"name": "socket"/"name": "pigeons"/' /etc/slipway/node.json
  run on $NAME login srun --nodelist="$first" --gpus-per-node=1 echo ran
  says ran
  as_owner "sed -i 's/nccl_env.so/nccl_env.so loud=yes/' $(slurm_file plugstack.conf)"
  run on $NAME login srun --nodes=2 --gpus-per-node=1 sh -c 'echo "[$NCCL_NET]"'
  as_owner "sed -i 's/ loud=yes//' $(slurm_file plugstack.conf)"
  says "unknown argument \`loud=yes\` in plugstack.conf"
  says "[]"
  run on $NAME controller sinfo --noheader --format=%T
  lacks -e drain -e down
}
