# Full disks: what a user's job fills belongs to the job, and a disk that is full for everyone is found.

load helper
load health_helper

NAME=st-disk
N=stdisk-a3meganodeset
JOBS=/var/lib/slipway/jobs

setup_file() {
  deploy $NAME --nodes a3mega_nodeset=2
  slurm_checks_every 0
  # Space for a test to fill.
  on $NAME $N-0 mount -o remount,size=32m,nr_inodes=4000 $JOBS
  on $NAME login mkdir -m 1777 /home/out
  write_program /home/fill.py <<'END'
# fill.py FOLDER bytes|inodes: fills the folder completely
import os, sys
os.chdir(sys.argv[1])
count = 0
try:
    with open("large", "wb") as large:
        while sys.argv[2] == "bytes":
            count += large.write(b"x" * 65536)
            large.flush()
    while True:
        open(str(count), "w").close()
        count += 1
except OSError as error:
    print(count, error.strerror)
END
}

teardown_file() { slipway destroy $NAME; }

teardown() { leave_nothing $N-0 $N-1; }

# as_user COMMAND...: on the login node, as an ordinary user
as_user() { slipway exec $NAME login --user nobody --chdir / -- "$@"; }

# serves NODE: it is not drained. Slurm 24.11 may keep the reason of a drain that has ended.
serves() {
  run on $NAME controller sinfo --noheader --Node --nodes="$1" --format='%T: %E'
  [[ "$output" =~ ^(idle|mixed|allocated|completing): ]] || { echo "$output" && on $NAME "$1" /opt/slipway/bin/slipway health && false; }
}

nothing_of_jobs() { [ -z "$(on $NAME "$1" find $JOBS -mindepth 2)" ] && refuse on $NAME "$1" grep -q " $JOBS/" /proc/self/mountinfo; }

# bats test_tags=user
@test "disk: a job's steps share a private /tmp, /var/tmp and /dev/shm, which are removed with the job" {
  as_user srun --quiet --nodelist=$N-0 sh -c 'for d in /tmp /var/tmp /dev/shm; do test -O $d/. -o -k $d/. && touch $d/first-job; done'
  run as_user srun --quiet --nodelist=$N-0 find /tmp/ /var/tmp/ /dev/shm/ -mindepth 1
  says ""
  [ "$output" = "" ]
  on $NAME login sh -c 'cat >/home/steps.sh' <<'END'
#!/bin/bash
sbcast /bin/ls /tmp/copied
srun --ntasks-per-node=2 --overlap sh -c 'touch /tmp/t-$SLURM_LOCALID /var/tmp/v-$SLURM_LOCALID /dev/shm/s-$SLURM_LOCALID'
srun --nodes=1 --overlap sh -c 'echo $(/tmp/copied /tmp) $(ls /var/tmp) $(ls /dev/shm)'
END
  run as_user sbatch --wait --quiet --nodelist=$N-0 --output=/home/out/steps /home/steps.sh
  run on $NAME login cat /home/out/steps
  [[ "$output" == *"copied t-0 t-1"*"v-0 v-1"*"s-0 s-1" ]] || { echo "$output" && false; }
  run on $NAME $N-0 find /tmp /dev/shm -name '*t-0' -o -name '*s-0' -o -name copied
  [ "$output" = "" ]
  wait_for nothing_of_jobs $N-0
}

@test "disk: a job keeps its /tmp when slurmd restarts" {
  local job
  job=$(as_user sbatch --parsable --nodelist=$N-0 --output=/home/out/kept --wrap 'echo mine >/tmp/kept; touch /home/out/begun
    while [ ! -e /home/out/go ]; do sleep 0.1; done; cat /tmp/kept; srun cat /tmp/kept')
  wait_for on $NAME login test -e /home/out/begun
  on $NAME $N-0 /opt/slipway/bin/slipway node restart slurmd
  on $NAME login touch /home/out/go
  has_ended() { [ -z "$(on $NAME login squeue --noheader --jobs="$job" 2>/dev/null)" ]; }
  wait_for has_ended
  [ "$(on $NAME login cat /home/out/kept)" = $'mine\nmine' ]
  wait_for nothing_of_jobs $N-0
}

@test "disk: a job whose start a killed slurmctld had not saved starts again, with its own /tmp on all nodes" {
  begin_and_forget --nodes=2
  wait_for begins_again || { on $NAME login sh -c "scontrol show job $JOB; cat /home/forgotten-$JOB"; on $NAME $N-0 tail -n 50 /var/log/slurm/slurmd.log; false; }
  wait_for nothing_of_jobs $N-0
}

@test "disk: a job whose own /tmp is removed between the check of it and its first task starts again" {
  local job
  slipway exec $NAME login -- sh -c 'cat >/home/late_removal.so; chmod 755 /home/late_removal.so' <"$TOP/build/tests/late_removal.so"
  on $NAME $N-0 sh -c '{ cat /etc/slurm/plugstack.conf; echo "required /home/late_removal.so /run/removed"; } >/run/plugstack.conf
    mount --bind /run/plugstack.conf /etc/slurm/plugstack.conf'
  job=$(as_user sbatch --parsable --nodes=2 --open-mode=append --output=/home/out/removed --wrap 'echo mine >/tmp/mine; srun cat /tmp/mine; cat /tmp/mine')
  is_held() { is_held_back "$job"; }
  wait_for is_held
  run on $NAME $N-0 cat /run/removed
  [ "$output" = "$job" ]
  begin_now "$job"
  wait_for on $NAME login grep -qx mine /home/out/removed
  run on $NAME login cat /home/out/removed
  says "without its prolog and its own /tmp: requeued it"
  on $NAME $N-0 umount /etc/slurm/plugstack.conf
  wait_for nothing_of_jobs $N-0
}

@test "disk: the next check removes what a killed slurmstepd left, and the node serves" {
  local job
  job=$(as_user sbatch --parsable --nodelist=$N-0 --output=/dev/null --wrap 'touch /tmp/left /home/out/killed; sleep 600')
  wait_for on $NAME login test -e /home/out/killed
  on $NAME $N-0 pkill -KILL -f 'slurmstepd: \['
  as_user scancel "$job"
  look $N-0
  wait_for nothing_of_jobs $N-0
  node_can_be_used() { [ "$(as_user srun --quiet --nodelist=$N-0 --immediate=20 echo served)" = served ]; }
  wait_for node_can_be_used
}

# bats test_tags=user
@test "disk: a user who fills /tmp with bytes or inodes drains no node, and everything is free when the job ends" {
  local what job
  for what in bytes inodes; do
    run as_user srun --quiet --nodelist=$N-0 python3 /home/fill.py /tmp $what
    says "No space left on device"
    wait_for nothing_of_jobs $N-0
    run look $N-0
    says "node $N-0"
    lacks "full"
    serves $N-0
  done
  # While the job still runs.
  job=$(as_user sbatch --parsable --nodelist=$N-0 --output=/home/out/filled --wrap 'python3 /home/fill.py /tmp inodes; sleep 600')
  wait_for on $NAME login grep -q "No space" /home/out/filled
  look $N-0
  serves $N-0
  on $NAME $N-0 pgrep -x slurmd
  as_user scancel "$job"
}

# bats test_tags=user
@test "disk: a disk filled by a user degrades, with the user's number; one filled by root drains" {
  on $NAME $N-1 sh -c 'mkdir -p /srv && mount -t tmpfs -o size=32m,nr_inodes=4000,mode=755 tmpfs /srv &&
    mkdir -m 1777 /srv/everybody && echo "disks: [/srv]" >/etc/slipway/health.yaml'
  slipway exec $NAME $N-1 --user nobody --chdir / -- python3 /home/fill.py /srv/everybody inodes
  run look $N-1 --json
  says '"finding": "scratch-full"'
  says "0 inodes free; uid 65534 has "
  lacks "everybody"
  serves $N-1
  on $NAME $N-1 sh -c 'rm -r /srv/everybody; python3 /home/fill.py /srv inodes'
  run look $N-1
  fails_with 3 "disk /srv: 0 inodes free"
  on $NAME $N-1 sh -c 'umount /srv; rm /etc/slipway/health.yaml'
  serves_again $N-1
}

@test "disk: a full slurmd spool drains, even if something in it is removed" {
  on $NAME $N-1 sh -c 'head -c 65536 /dev/zero >/var/spool/slurmd/small'
  fault $N-1 disk-full /var/spool/slurmd
  on $NAME $N-1 rm /var/spool/slurmd/small
  run look $N-1
  fails_with 3 "disk /var/spool/slurmd: 0 MiB free"
  run reason_of $N-1
  [[ "$output" == "disk /var/spool/slurmd: 0 MiB free"* ]]
  # If the spool fills up between the prolog and the start of the batch script, slurmd drains the node, in these words.
  on $NAME controller scontrol update NodeName=$N-1 State=DRAIN 'Reason=SlurmdSpoolDir is full'
  run look $N-1
  [ "$status" -eq 3 ]
  fault $N-1 clear
  serves_again $N-1
}

# bats test_tags=user
@test "disk: a user can read and run the batch script in slurmd's spool, but not append to it" {
  on $NAME login sh -c 'cat >/home/grow.sh' <<'END'
#!/bin/sh
chmod u+w "$0" 2>/dev/null || echo "kept"
echo more 2>/dev/null >>"$0" || echo "not longer"
cmp "$0" /home/grow.sh && echo "and readable"
rm -f "$0" 2>/dev/null || echo "of $(stat -c %U "$0")"
END
  as_user sbatch --wait --nodelist=$N-1 --output=/home/out/grown /home/grow.sh
  [ "$(on $NAME login cat /home/out/grown)" = "$(printf 'kept\nnot longer\nand readable\nof root')" ]
  # It is removed with the job, as a file of the user's would be.
  wait_for on $NAME $N-1 sh -c '[ ! -e /var/spool/slurmd/job* ]'
}

# bats test_tags=user
@test "disk: a user who fills slurmd's spool in PMIx's folder is named, and the node serves when it is gone" {
  local job
  on $NAME $N-1 mount -o remount,size=32m /var/spool/slurmd
  # As PMIx makes one, for a Slurm without it.
  on $NAME $N-1 install -d -m 700 -o nobody /var/spool/slurmd/of-user
  on $NAME login sh -c 'cat >/home/fill.sh' <<'END'
#!/bin/sh
srun sh -c 'head -c 64M /dev/zero >"${PMIX_SERVER_TMPDIR:-/var/spool/slurmd/of-user}/large"; sleep 600'
END
  job=$(as_user sbatch --parsable --nodelist=$N-1 --output=/home/out/spool /home/fill.sh)
  wait_for on $NAME login grep -q "No space" /home/out/spool
  run look $N-1 --json
  says '"finding": "scratch-full"'
  says "0 MiB free; uid 65534 has "
  as_user scancel "$job"
  wait_for on $NAME $N-1 sh -c '[ ! -e /var/spool/slurmd/job* ]'
  on $NAME $N-1 sh -c 'rm -r /var/spool/slurmd/of-user && mount -o remount,size=50% /var/spool/slurmd'
  # slurmd may have drained the node meanwhile, since it could not save its own state there.
  serves_again $N-1
}

# bats test_tags=user
@test "disk: what users leave beside their containers fills neither /run nor the node's checks" {
  local folder=/run/slipway/containers
  on $NAME $N-1 sh -c "mount -o remount,size=16m $folder && install -d -m 700 -o nobody $folder/65534"
  run slipway exec $NAME $N-1 --user nobody --chdir / -- python3 /home/fill.py $folder/65534 bytes
  says "No space left on device"
  on $NAME $N-1 sh -c 'head -c 1M /dev/zero >/run/free && rm /run/free'
  run look $N-1
  lacks "full"
  # Where nobody has mounted it: the plugin makes the folder in /run.
  on $NAME $N-1 sh -c "umount $folder && mount -o remount,size=16m /run && install -d -m 700 -o nobody $folder/65534"
  slipway exec $NAME $N-1 --user nobody --chdir / -- python3 /home/fill.py $folder/65534 bytes
  run look $N-1 --json
  says '"finding": "scratch-full"'
  serves $N-1
  # A file without a name, on its way through a socket, which nothing shows.
  write_program /home/hide.py <<'END'
import array, os, socket, time
file = os.open("large", os.O_RDWR)
ends = socket.socketpair()
ends[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))])
os.unlink("large")
os.close(file)
open("/tmp/hidden", "w")
time.sleep(600)
END
  slipway exec $NAME $N-1 --user nobody --chdir $folder/65534 -- sh -c 'exec setsid python3 /home/hide.py >/dev/null 2>&1 </dev/null &'
  wait_for on $NAME $N-1 test -e /tmp/hidden
  run look $N-1 --json
  says '"finding": "scratch-full"'
  serves $N-1
  on $NAME $N-1 sh -c "pkill -f [h]ome/hide.py; rm /tmp/hidden"
  on $NAME $N-1 sh -c "rm -r $folder/65534; mount -o remount,size=50% /run"
  look $N-1
}

@test "disk: a ledger without space is reported once, and the job continues" {
  on $NAME $N-1 sh -c 'mkdir -p /srv && mount -t tmpfs -o size=1m,nr_inodes=2,mode=1777 tmpfs /srv && touch /srv/only'
  run on $NAME login srun --quiet --nodelist=$N-1 --ntasks=1 true
  on $NAME login sbatch --wait --quiet --nodelist=$N-1 --output=/home/out/none \
    --no-kill --wrap '/opt/slipway/bin/slipway launch --no-kill --ledger /srv/ledger -- echo trained; echo "status $?"'
  run on $NAME login cat /home/out/none
  says "trained"
  says "status 0"
  [ "$(grep -c 'cannot write /srv/ledger: No space left on device; the job continues' <<<"$output")" -eq 1 ]
  # The file exists but has no space for a line.
  on $NAME $N-1 sh -c 'mount -o remount,nr_inodes=10 /srv; head -c 2m /dev/zero >/srv/large || true; : >/srv/ledger'
  on $NAME login sbatch --wait --quiet --nodelist=$N-1 --output=/home/out/full \
    --no-kill --wrap '/opt/slipway/bin/slipway launch --no-kill --ledger /srv/ledger -- echo trained; echo "status $?"'
  run on $NAME login cat /home/out/full
  says "trained"
  says "status 0"
  [ "$(grep -c 'cannot write /srv/ledger: No space left on device; the job continues' <<<"$output")" -eq 1 ]
  on $NAME $N-1 umount /srv
}

@test "disk: logs are rotated as in an image, and the daemons write to the new files" {
  local C=stdisk-controller pid
  slipway exec $NAME $C -- sh -c 'cat >/etc/slipway-logrotate' <"$TOP/images/logrotate.conf"
  on $NAME $C sh -c 'echo line >>/var/log/slurm/power.log; chmod 640 /var/log/slurm/power.log'
  pid=$(on $NAME $C pgrep -x slurmctld)
  run on $NAME $C logrotate --force --state /run/logrotate.state /etc/slipway-logrotate
  says ""
  lacks "error"
  [ "$(on $NAME $C pgrep -x slurmctld)" = "$pid" ]
  on $NAME $C test -s /var/log/slurm/slurmctld.log.1
  [ "$(on $NAME $C cat /var/log/slurm/power.log.1)" = line ]
  [ "$(on $NAME $C stat --format='%a %s' /var/log/slurm/power.log)" = "640 0" ]
  # The old file has the same owner and mode as the new one.
  wait_for on $NAME $C test -e /var/log/slurm/slurmctld.log
  [ "$(on $NAME $C stat --format='%a %U' /var/log/slurm/slurmctld.log)" = "$(on $NAME $C stat --format='%a %U' /var/log/slurm/slurmctld.log.1)" ]
  on $NAME $C scontrol setdebug debug
  wait_for on $NAME $C grep -q 'debug level' /var/log/slurm/slurmctld.log
  on $NAME $C scontrol setdebug info
  # Also on a node.
  slipway exec $NAME $N-0 -- sh -c 'cat >/etc/slipway-logrotate' <"$TOP/images/logrotate.conf"
  on $NAME $N-0 logrotate --force --state /run/logrotate.state /etc/slipway-logrotate
  as_user srun --quiet --nodelist=$N-0 true
  wait_for on $NAME $N-0 test -s /var/log/slurm/slurmd.log
}
