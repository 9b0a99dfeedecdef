# The SPANK plugin container in a real Slurm: pyxis's options, names and errors. docs/guides/containers.md has the table.

# bats file_tags=user
load helper
load container_helper

NAME=st-container

setup_file() {
  deploy st-container
  put_image a.sqsh --env FROM_IMAGE=image --env BOTH=image --env PYTORCH_VERSION=2 --workdir /srv
}

teardown_file() { slipway destroy st-container; }

teardown() { leave_nothing; }

@test "container: tasks on each node run in the image, in its folder and with its environment" {
  run in_image --nodes=4 --ntasks-per-node=2 sh -c 'echo "$FROM_IMAGE $(pwd) $(test -e /usr/sbin/slurmd || echo inside)"'
  [ "$(sort <<<"$output" | uniq -c | xargs)" = "8 image /srv inside" ]
}

@test "container: without options, jobs run on the node" {
  run sh_on login 'srun --quiet sh -c "test -e /usr/sbin/slurmd && echo outside"'
  says "outside"
}

@test "container: the job's environment passes, the image's wins, and --container-env turns that around" {
  run sh_on login 'export BOTH=job MINE=job LANG=C.UTF-8; srun --quiet --container-image=/home/a.sqsh sh -c "echo \$MINE \$BOTH [\$LANG]"'
  says "job image []"
  run sh_on login 'export BOTH=job LANG=C.UTF-8; srun --quiet --container-image=/home/a.sqsh --container-env=LANG,BOTH sh -c "echo \$BOTH [\$LANG]"'
  says "job [C.UTF-8]"
}

@test "container: PyTorch's variables are each task's own, and keep what the job set" {
  run in_image --nodes=4 --ntasks-per-node=2 sh -c \
    'test $RANK = $SLURM_PROCID && test $LOCAL_RANK = $SLURM_LOCALID && echo "$WORLD_SIZE $OMP_NUM_THREADS $MASTER_ADDR"'
  [ "$(sort -u <<<"$output")" = "8 1 $(compute_nodes $NAME | head -n 1)" ]
  run sh_on login 'MASTER_PORT=29500 srun --quiet --container-image=/home/a.sqsh sh -c "echo port \$MASTER_PORT"'
  says "port 29500"
}

@test "container: tasks see the folder of the PMIx server" {
  slurm_has_pmix || return 0
  run in_image --nodes=2 --mpi=pmix sh -c 'ls -d "$PMIX_SERVER_TMPDIR"'
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  [ "$(sort -u <<<"$output" | grep -c '/pmix\.[0-9]*\.0/$')" -eq 1 ]
}

@test "container: steps of one job derive different ports, also in a batch script in a container" {
  run sh_on login 'salloc --quiet --nodes=1 sh -c "for i in 1 2 3; do srun --container-image=/home/a.sqsh sh -c \"echo \\\$MASTER_PORT\"; done"'
  [ "$(sort -u <<<"$output" | grep -c '^6[1-5]...$')" -eq 3 ]
  write_program /home/ports.sh <<'END'
#!/bin/bash
#SBATCH --nodes=2 --container-image=/home/a.sqsh
#SBATCH --container-mounts=/usr:/usr:ro,/opt/slipway:/opt/slipway:ro,/etc/slurm:/etc/slurm:ro,/run/munge,/etc/passwd,/etc/group
printf 'batch %s\nfirst %s\n' "$MASTER_PORT" "$SLURMD_NODENAME"
for step in 1 2; do srun sh -c 'echo "step $MASTER_PORT of $WORLD_SIZE at $MASTER_ADDR"'; done
MASTER_PORT=29500 srun sh -c 'echo "own $MASTER_PORT"'
END
  sh_on login 'sbatch --quiet --wait --output=/home/ports.out /home/ports.sh'
  run on $NAME login sort -u /home/ports.out
  [ "$(grep -o '6[1-5][0-9][0-9][0-9]' <<<"$output" | sort -u | wc -l)" -eq 3 ] || { echo "$output" && false; }
  [ "$(grep -c "^step .* of 2 at $(sed -n 's/^first //p' <<<"$output")$" <<<"$output")" -eq 2 ] || { echo "$output" && false; }
  says "own 29500"
}

@test "container: mounts of folders, files, devices and tmpfs, with flags" {
  run in_image --container-mounts=/etc/slurm:/a/b:ro,/etc/hostname:/name,/dev/null:/null,tmpfs:/scratch,/var/lib sh -c \
    'ls /a/b/slurm.conf && test -s /name && test -c /null && touch /scratch/x && test -e /var/lib/dpkg && echo all; touch /a/b/x'
  fails_with 1 "all"
  [[ "$output" == *"Read-only file system"* ]]
  run sh_on login 'cd /home && srun --quiet --container-image=./a.sqsh --container-mounts=./:/mnt ls /mnt'
  says "a.sqsh"
}

@test "container: lists that are given several times add up, in srun and in #SBATCH lines" {
  run in_image --container-mounts=/etc/slurm:/a --container-mounts=/etc/slurm:/b,/etc/slurm:/c sh -c 'ls /a/slurm.conf /b/slurm.conf /c/slurm.conf'
  says /c/slurm.conf
  run sh_on login 'export BOTH=job FROM_IMAGE=job; srun --quiet --container-image=/home/a.sqsh --container-env=BOTH --container-env=FROM_IMAGE sh -c "echo \$BOTH \$FROM_IMAGE"'
  says "job job"
  write_program /home/twice.sh <<'END'
#!/bin/bash
#SBATCH --container-image=/home/a.sqsh --container-mounts=/etc/slurm:/a
#SBATCH --container-mounts=/etc/slurm:/b
ls /a/slurm.conf /b/slurm.conf
END
  for export in ALL NONE; do
    run sh_on login "sbatch --quiet --wait --export=$export --output=/home/twice.out /home/twice.sh; cat /home/twice.out"
    says $'/a/slurm.conf\n/b/slurm.conf'
  done
  # A step with mounts of its own has only those.
  sh_on login 'salloc --quiet --nodes=1 --container-mounts=/etc/slurm:/a --container-mounts=/etc/slurm:/b \
    srun --container-image=/home/a.sqsh --container-mounts=/etc/slurm:/c sh -c "ls -d /a /b /c || true" >/home/twice.out'
  [ "$(on $NAME login cat /home/twice.out)" = /c ]
}

@test "container: the job's own /tmp and /dev/shm hold images, mounts and what is saved" {
  run sh_on login 'salloc --quiet --nodes=2 sh -c "
    sbcast --force /home/a.sqsh /dev/shm/mine.sqsh && srun --quiet sh -c \"echo ours >/tmp/file\" &&
    srun --quiet --container-image=/dev/shm/mine.sqsh --container-mounts=/tmp:/theirs --container-save=/tmp/saved.sqsh sh -c \"echo \\\$FROM_IMAGE \\\$(cat /theirs/file)\" &&
    srun --quiet --container-image=/tmp/saved.sqsh sh -c \"echo \\\$FROM_IMAGE again\""'
  echo "$output" >&2
  [ "$(sort <<<"$output" | uniq -c | xargs)" = "2 image again 2 image ours" ]
  run on_nodes 'ls /tmp/saved.sqsh /dev/shm/mine.sqsh'
  [ "$status" -ne 0 ]
}

@test "container: mistakes are refused before there is a job" {
  local options wrong=(
    '--container-mounts='
    '--container-mounts=:'
    '--container-mounts=/tmp:'
    '--container-mounts=/home:../home'
    '--container-mounts=proc:/proc'
    '--container-mounts=/home:/'
    '--container-mounts=/etc:/x:ro+readonly'
    '--container-workdir='
    '--container-name=/tmp/foo'
    '--container-name=x:exek'
    '--container-env=A,'
    '--container-unshare=net,foo'
    '--container-save=/home/'
    '--container-image=/home/b.sqsh'
    '--container-writable --container-readonly'
  )
  for options in "${wrong[@]}"; do
    # shellcheck disable=SC2086  # words
    run in_image $options true
    [ "$status" -ne 0 ]
    [[ "$output" == *"error: container: "*--container-* ]]
  done
  run on $NAME login sbatch --container-image= --wrap true
  [ "$status" -ne 0 ]
  run on $NAME login squeue --noheader --states=all --format=%j
  lacks wrap
}

@test "container: what cannot start fails the step, says why, and drains no node" {
  run sh_on login 'srun --quiet --nodes=2 --container-image=/home/none.sqsh true'
  fails_with 1 "container: "
  [[ "$output" == *"/home/none.sqsh"*"No such file"* ]]
  run sh_on login 'srun --quiet --container-image=/dev/urandom true'
  fails_with 1 "container: "
  run sh_on login 'srun --quiet --container-image=/home/ true'
  [ "$status" -ne 0 ]
  run in_image --container-workdir=/pyxis true
  fails_with 1 "/pyxis"
  [[ "$output" == *"No such file or directory"* ]]
  run sh_on login 'srun --quiet --container-name=never-made true'
  fails_with 1 'a container with name "never-made" does not exist, and --container-image is not set'
  run on $NAME controller sinfo --noheader --Node --states=drain,down,fail
  [ "$output" = "" ]
}

@test "container: settings without an image say that they do nothing" {
  run sh_on login 'srun --quiet --container-mounts=/home --container-writable echo ran'
  says "ignoring --container-mounts because neither --container-image nor --container-name is set"
  says "ignoring --container-writable because"
  says "ran"
}

@test "container: folders to start in" {
  run in_image --container-workdir=/usr/bin pwd
  says "/usr/bin"
  run in_image --container-workdir=../ pwd
  [ "$output" = / ]
}

@test "container: read-only unless asked, by option and by variable, and options win" {
  run in_image touch /new
  fails_with 1 "Read-only file system"
  run in_image --container-writable sh -c 'touch /new && echo done'
  says "done"
  run sh_on login 'PYXIS_CONTAINER_WRITABLE=1 PYXIS_CONTAINER_IMAGE=/home/a.sqsh srun --quiet sh -c "touch /new && echo done"'
  says "done"
  run sh_on login 'PYXIS_CONTAINER_WRITABLE=1 PYXIS_CONTAINER_IMAGE=/none srun --quiet --container-image=/home/a.sqsh --container-readonly touch /new'
  fails_with 1 "Read-only file system"
  run sh_on login 'PYXIS_CONTAINER_READONLY=maybe srun --quiet --container-image=/home/a.sqsh true'
  fails_with 1 "PYXIS_CONTAINER_READONLY: \`maybe\` is neither yes nor no"
}

@test "container: variables for mounts, folder, name, save and environment" {
  run sh_on login 'export PYXIS_CONTAINER_IMAGE=/home/a.sqsh PYXIS_CONTAINER_MOUNTS=tmpfs:/scratch PYXIS_CONTAINER_WORKDIR=/usr \
    PYXIS_CONTAINER_ENV=BOTH PYXIS_CONTAINER_NAME=by-variable PYXIS_CONTAINER_SAVE=/home/variable.sqsh BOTH=job
    srun --quiet sh -c "touch /scratch/x && pwd && echo \$BOTH"'
  says "$(printf '/usr\njob')"
  on $NAME login test -s /home/variable.sqsh
}

@test "container: namespaces of its own" {
  run in_image sh -c 'readlink /proc/self/ns/net /proc/self/ns/ipc /proc/self/ns/uts'
  local shared=$output kind
  run in_image --container-unshare=net,ipc,uts sh -c 'readlink /proc/self/ns/net /proc/self/ns/ipc /proc/self/ns/uts'
  for kind in net ipc uts; do [ "$(grep "$kind" <<<"$output")" != "$(grep "$kind" <<<"$shared")" ]; done
}

@test "container: the home folder, and being root in the container" {
  run sh_on login 'srun --quiet --container-image=/home/a.sqsh --container-mount-home --container-remap-root sh -c "id -u; ls -d \$HOME; findmnt --noheadings --output=TARGET /root"'
  says "$(printf '0\n/root\n/root')"
  run sh_on login 'srun --quiet --container-image=/home/a.sqsh --no-container-mount-home --container-remap-root findmnt /root'
  [ "$status" -ne 0 ]
  run sh_on login 'PYXIS_CONTAINER_MOUNT_HOME=1 srun --quiet --container-image=/home/a.sqsh --no-container-mount-home --container-remap-root findmnt /root'
  [ "$status" -ne 0 ]
}

@test "container: without HOME in the job or the image, it is the account's, or /root" {
  run sh_on login 'unset HOME; srun --quiet --container-image=/home/a.sqsh sh -c "echo [\$HOME]"
    srun --quiet --export=NONE --container-image=/home/a.sqsh sh -c "echo [\$HOME]"
    srun --quiet --export=NONE --container-image=/home/a.sqsh --container-remap-root --container-mount-home sh -c "echo [\$HOME]"
    HOME=/mine srun --quiet --container-image=/home/a.sqsh sh -c "echo [\$HOME]"'
  [ "$output" = "$(printf '[/root]\n[/root]\n[/root]\n[/mine]')" ] || { echo "$output" && false; }
}

@test "container: the entrypoint runs if asked, sets variables, and shows its output if asked" {
  put_image entry.sqsh --rc 'echo from the entrypoint; export SET_BY_ENTRYPOINT=yes; [ -e /etc/rc.local ] && . /etc/rc.local; exec "$@"'
  run sh_on login 'srun --quiet --container-image=/home/entry.sqsh --container-entrypoint --container-entrypoint-log sh -c "echo [\$SET_BY_ENTRYPOINT]"'
  says "container: from the entrypoint"
  says "[yes]"
  run sh_on login 'PYXIS_CONTAINER_ENTRYPOINT=1 srun --quiet --container-image=/home/entry.sqsh sh -c "echo [\$SET_BY_ENTRYPOINT]"'
  [ "$output" = "[yes]" ]
  run sh_on login 'srun --container-image=/home/a.sqsh --container-entrypoint-log true'
  says "ignoring --container-entrypoint-log because the entrypoint is not run: add --container-entrypoint"
}

@test "container: a named container keeps its changes, and is used again without an image" {
  on_one --container-image=/home/a.sqsh --container-writable --container-name=kept sh -c 'echo changed >/changed'
  run on_one --container-name=kept cat /changed
  says "changed"
  run on_one --container-name=kept:create true
  fails_with 1 "the container already exists"
  run on_one --container-name=kept:exec true
  fails_with 1 "the container is not running"
  run on_one --container-name=kept --container-image=/home/other.sqsh echo ran
  says 'using the container "kept", which was made of /home/a.sqsh, not of /home/other.sqsh'
  run on_one --container-image=/home/a.sqsh cat /changed
  [ "$status" -ne 0 ]
}

@test "container: other steps join a running container, named or not" {
  run sh_on login 'salloc --quiet --nodes=1 sh -c "
    srun --container-image=/home/a.sqsh --container-name=joined --container-mounts=tmpfs:/mnt sh -c \"echo here >/mnt/x; until test -e /mnt/end; do sleep 0.1; done\" &
    until srun --overlap --container-name=joined:exec cat /mnt/x 2>/dev/null; do sleep 0.1; done
    srun --overlap --container-name=joined --container-mounts=/home sh -c \"pwd; ls /home\" 2>&1
    srun --overlap --container-name=joined --container-unshare=net true 2>&1
    srun --overlap --container-name=joined touch /mnt/end; wait"'
  [[ "$output" == *"the running container \"joined\" is not in a separate network namespace"* ]]
  [[ "$output" == *"here"*"ignoring --container-mounts when attaching to a running container"*"/srv"* ]]
  lacks a.sqsh
}

@test "container: a container with a name or without lives until the last step in it has ended" {
  write_program /home/last.sh <<'END'
#!/bin/bash
# Each of the first two waits for what comes after it.
wait_for() { srun --quiet --overlap sh -c "until test -e /home/last.$1; do sleep 0.1; done"; }
for name in shared ''; do
  rm -f /home/last.[a-z]
  srun --overlap --container-image=/home/a.sqsh ${name:+--container-name=$name} --container-mounts=/home \
    sh -c 'echo $SLURM_STEP_ID >/home/last.id; touch /home/last.a; until test -e /home/last.b; do sleep 0.1; done' &
  first=$!
  wait_for a
  srun --overlap --container-name="${name:-$SLURM_JOB_ID.$(cat /home/last.id)}" \
    sh -c 'touch /home/last.b; until test -e /home/last.c; do sleep 0.1; done; sha256sum /usr/bin/* >/dev/null && echo "second of '$name'"' &
  second=$!
  wait $first
  [ -z "$name" ] || srun --overlap --container-name=$name:exec echo "third of $name"
  touch /home/last.c
  wait $second
done
END
  run sh_on login 'timeout 100 salloc --quiet --nodes=1 /home/last.sh'
  says $'third of shared\nsecond of shared\nsecond of '
  run on_nodes "pgrep -f '[s]lipway-container|[s]quashfuse'; true"
  [ "$output" = "" ]
}

@test "container: steps that use containers at the same time do not disturb each other" {
  run sh_on login 'salloc --quiet --nodes=1 sh -c "
    for i in 0 1 2; do srun --overlap --container-image=/home/a.sqsh --container-name=busy\$i sh -c \"sleep 1; echo made\" & done; wait
    for i in 0 1 2 0 1 2 0 1 2 0 1 2; do { srun --overlap --container-name=busy\$i sleep 0.\$i && echo used; } & done; wait" 2>&1'
  [ "$(sort <<<"$output" | uniq -c | xargs)" = "3 made 12 used" ] || { echo "$output" && false; }
}

@test "container: what a step changed can be saved as an image" {
  run on_one --container-image=/home/a.sqsh --container-writable --container-save=/home/saved.sqsh sh -c 'echo saved >/saved'
  run sh_on login 'srun --quiet --container-image=/home/saved.sqsh cat /saved; unsquashfs -ll /home/saved.sqsh | grep -c /saved$'
  says "saved"
}

# saving OPTION... SCRIPT: a step on the first node whose container is saved
saving() { on_one --container-image=/home/a.sqsh --container-writable --container-mounts=/home "${@:1:$#-1}" sh -c "${!#}"; }

@test "container: a task makes the folder of the saved image, or the step fails" {
  run saving --container-save=/home/made/x.sqsh 'mkdir /home/made && echo kept >/kept && test $SLURM_TASK_PID = $$'
  says "container: the folder \`/home/made\` does not exist: unless a task makes it, the container cannot be saved"
  run sh_on login 'srun --quiet --container-image=/home/made/x.sqsh cat /kept'
  says kept
  run saving --container-save=/home/unmade/x.sqsh 'echo ran'
  fails_with 1 'container: cannot save the container as `/home/unmade/x.sqsh`: No such file or directory'
  [[ "$output" == *ran* ]]
}

@test "container: an image that cannot be saved fails the step, and leaves no part" {
  sh_on "$(compute_nodes $NAME | head -n 1)" 'mkdir -p /small && { mountpoint -q /small || mount -t tmpfs -o size=1M tmpfs /small; } && chmod 1777 /small'
  run saving --ntasks=2 --container-save=/small/x.sqsh 'echo ran'
  [ "$status" -eq 1 ]
  [ "$(grep -c '^container: cannot save the container as `/small/x.sqsh`: mksquashfs: .*No space left on device' <<<"$output")" -eq 1 ] || { echo "$output" && false; }
  lacks -e -noappend -e 'FATAL ERROR'
  [ "$(grep -c '^ran$' <<<"$output")" -eq 2 ]
  run saving --container-save=/small/x.sqsh 'exit 7'
  [ "$status" -eq 7 ]
  run sh_on "$(compute_nodes $NAME | head -n 1)" 'ls -A /small'
  [ "$output" = "" ]
}

@test "container: with --container-save, tasks get signals and the terminal, and end as they end" {
  run saving --container-save=/home/signal.sqsh 'kill -USR2 $$'
  [ "$status" -eq $((128 + 12)) ]
  run sh_on login 'timeout 60 script --quiet --return --command "srun --quiet --pty --container-image=/home/a.sqsh --container-save=/home/pty.sqsh sh -c \"test -t 0 && ps -o stat= -p \\\$\\\$ && exit 5\"" /dev/null'
  [ "$status" -eq 5 ] || { echo "$output" && false; }
  [[ "$output" == *S*+* ]] || { echo "$output" && false; }
  run sh_on login 'sbatch --quiet --wait --output=/home/batch.out --container-image=/home/a.sqsh --container-save=/home/batch.sqsh \
    --wrap "exit 3"; echo $?; ls /home/batch.sqsh /home/signal.sqsh /home/pty.sqsh'
  says "$(printf '3\n/home/batch.sqsh\n/home/pty.sqsh\n/home/signal.sqsh')"
  # Each task gets a signal of the step once.
  run sh_on login 'job=$(sbatch --parsable --nodes=2 --output=/home/once.out --wrap "srun --container-image=/home/a.sqsh --container-save=/home/once.sqsh --container-mounts=/home \
    sh -c \"trap \\\"echo got\\\" USR1; touch /home/once.\\\$SLURM_PROCID; until test -e /home/once.end; do sleep 0.1; done\"")
    until test -e /home/once.0 && test -e /home/once.1; do sleep 0.1; done
    scancel --signal=USR1 $job.0; sleep 2; touch /home/once.end
    until ! squeue --noheader --jobs=$job 2>/dev/null | grep -q .; do sleep 0.2; done; cat /home/once.out'
  [ "$(grep -c '^got$' <<<"$output")" -eq 2 ] || { echo "$output" && false; }
}

@test "container: a place that cannot get the saved image fails the step before its tasks run" {
  local place
  for place in /home /home/a.sqsh/x /home/a.sqsh/x/y; do
    run in_image --container-save=$place echo ran
    fails_with 1 "container: cannot save the container as \`$place\`: "
    lacks '^ran$'
  done
}

@test "container: a batch script runs in the container, also with --export=NONE" {
  sh_on login 'printf "#!/bin/bash\n#SBATCH --container-image=/home/a.sqsh\necho \$FROM_IMAGE \$0\n" >/home/batch.sh'
  sh_on login 'sbatch --quiet --wait --output=/home/batch.out /home/batch.sh'
  [[ "$(on $NAME login cat /home/batch.out)" == "image "*slurm_script ]]
  sh_on login 'printf "#!/bin/bash\necho \$FROM_IMAGE\n" >/home/batch.sh
    sbatch --quiet --wait --export=NONE --container-image=/home/a.sqsh --output=/home/batch.out /home/batch.sh'
  [ "$(on $NAME login cat /home/batch.out)" = image ]
  run sh_on login 'sbatch --wait --container-image=/home/none.sqsh --output=/home/batch.out /home/batch.sh'
  [ "$status" -ne 0 ]
  [[ "$(on $NAME login cat /home/batch.out)" == "container: "*none.sqsh* ]]
}

@test "container: a step in a batch job uses its own image, not the job's" {
  sh_on login 'cp /home/a.sqsh /home/second.sqsh
    salloc --quiet --nodes=1 --container-image=/home/none.sqsh srun --container-image=/home/second.sqsh sh -c "echo \$FROM_IMAGE" >/home/own.out'
  [ "$(on $NAME login cat /home/own.out)" = image ]
}

@test "container: the node's driver is in it: nvidia-smi shows the node's GPUs" {
  run in_image --nodes=2 --gpus-per-node=8 nvidia-smi -L
  [ "$(grep -c '^GPU [0-7]: ' <<<"$output")" -eq 16 ] || { echo "$output" && false; }
  run sh_on login 'NVIDIA_VISIBLE_DEVICES=void srun --quiet --container-image=/home/a.sqsh ls /usr/bin/nvidia-smi'
  [ "$status" -ne 0 ]
}

@test "container: an image with its libraries in no common folder has the node's driver, too" {
  put_image elsewhere.sqsh --libraries /opt/lib
  run sh_on login 'export LD_LIBRARY_PATH=/srv/own; srun --quiet --container-image=/home/elsewhere.sqsh --container-env=LD_LIBRARY_PATH sh -c "nvidia-smi -L; echo \$LD_LIBRARY_PATH"'
  [ "$(grep -c '^GPU [0-7]: ' <<<"$output")" -eq 8 ] || { echo "$output" && false; }
  says /srv/own:/usr/local/nvidia/lib64
}

@test "container: ldconfig lists the node's driver beside the image's libraries, and a saved image does not keep it" {
  put_image listed.sqsh --libraries /opt/lib --program ldconfig
  run sh_on login 'srun --quiet --container-image=/home/listed.sqsh --container-save=/home/unlisted.sqsh sh -c "ldconfig -p && nvidia-smi -L"'
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  [[ "$output" == *"libnvidia-ml.so.1 ("*" => /usr/local/nvidia/lib64/libnvidia-ml.so.1"*" => /opt/lib/libc.so.6"*"GPU 0: "* ]]
  run sh_on login 'NVIDIA_VISIBLE_DEVICES=void srun --quiet --container-image=/home/unlisted.sqsh ldconfig -p'
  says " => /opt/lib/libc.so.6"
  lacks libnvidia-ml
  run sh_on login 'srun --quiet --container-image=/home/unlisted.sqsh --container-writable sh -c "ldconfig && ldconfig -p"'
  says " => /opt/lib/libc.so.6"
  lacks libnvidia-ml
}

@test "container: what of the node is not in the container, and why, is printed" {
  put_image way.sqsh --libraries /opt/lib --text usr/local/nvidia=file
  run sh_on login 'srun --quiet --nodes=2 --ntasks-per-node=2 --container-image=/home/way.sqsh echo ran'
  [ "$(grep -c '^ran$' <<<"$output")" -eq 4 ] || { echo "$output" && false; }
  [ "$(grep -c "container: [0-9]* of the [0-9]* files of this node's GPU driver are not in the container: mount .*/usr/local/nvidia" <<<"$output")" -eq 2 ] || { echo "$output" && false; }
}

@test "container: nothing is left of unnamed containers" {
  in_image --nodes=4 true
  run on_nodes "ls -d /run/slipway/containers/*/step.* 2>/dev/null; pgrep -f '[s]lipway-container|[s]quashfuse'; true"
  [ "$output" = "" ]
}
