# The container plugin for ordinary accounts, and with an administrator's arguments in plugstack.conf.
load helper
load container_helper

NAME=st-conusers

setup_file() {
  deploy $NAME
  put_image a.sqsh --env FROM_IMAGE=image --env PATH=/opt/own/bin:/usr/bin --text 'opt/own/bin/of-the-image=#!/bin/sh
echo found' --mode opt/own/bin/of-the-image=755
  add_user ann --uid 4321 --no-create-home --home-dir /home/ann
  add_user bob --uid 4322 --no-create-home --home-dir /home/bob
  sh_on login 'install -d -o ann /home/ann && printf "#!/bin/sh\necho \"\$1 \$2 \$SLURM_JOB_UID\" >>/home/ann/imports; case \$1 in get) [ \$2 = docker://known ] || { echo no such image >&2; exit 3; }; echo /home/a.sqsh;; esac\n" >/home/importer && chmod 755 /home/importer'
}

teardown_file() { slipway destroy $NAME; }

teardown() { leave_nothing; }

# with ARGUMENT...: the plugin's arguments, on every node: all have the installation under test
with() { echo "optional /opt/slipway/lib/slipway/spank/container.so $*" >"$SUITE/prefix/lib/slipway/spank/container/container.conf"; }

# as USER SCRIPT: on the login node
as() { sh_on login "cd /home/$1 && runuser -u $1 -- sh -c '$2'"; }

as_ann() { as ann "$1"; }

@test "container users: an ordinary account has its own ids, folders and images" {
  run as_ann 'srun --quiet --nodes=2 --container-image=/home/a.sqsh sh -c "id -u; cat /proc/self/uid_map"'
  [ "$(grep -c '^4321$' <<<"$output")" -eq 2 ]
  [ "$(grep -c '4321 .* 1$' <<<"$output")" -eq 2 ]
  run as_ann 'srun --quiet --container-remap-root --container-image=/home/a.sqsh sh -c "id -u; grep Seccomp: /proc/self/status; cat /etc/shadow /proc/1/environ"'
  # What cat complains about may come first: srun passes both streams on by themselves.
  [ "$status" -ne 0 ]
  { grep -qx 0 <<<"$output" && grep -q '^Seccomp:.*2$' <<<"$output"; } || { echo "$output" && false; }
  run on_nodes 'stat --format="%u %a %n" /run/slipway/containers /run/slipway/containers/4321 2>/dev/null; true'
  [[ "$output" == *"0 755 /run/slipway/containers"*"4321 700 /run/slipway/containers/4321"* ]]
}

@test "container users: without HOME in the job, it is the account's" {
  run as_ann 'touch mine; unset HOME; srun --quiet --export=NONE --container-image=/home/a.sqsh --container-mount-home sh -c "echo \$HOME; ls \$HOME"
    srun --quiet --export=NONE --container-image=/home/a.sqsh --container-remap-root sh -c "echo \$HOME"'
  [[ "$output" == "/home/ann"*mine*"/root" ]] || { echo "$output" && false; }
}

@test "container users: an image is saved only where its user can write, and a step learns that at its start" {
  run as_ann 'srun --quiet --container-image=/home/a.sqsh --container-save=/etc/x.sqsh echo ran'
  fails_with 1 'container: cannot save the container as `/etc/x.sqsh`: Permission denied'
  lacks '^ran$'
  run as_ann 'srun --quiet --container-image=/home/a.sqsh --container-save=./saved.sqsh true; srun --quiet --container-image=./saved.sqsh sh -c "echo \$FROM_IMAGE"; ls *.part'
  [[ "$output" == *image*"*.part"* ]]
}

@test "container users: enroot removes a container that tasks have changed" {
  as_ann 'srun --quiet --nodes=4 --container-image=/home/a.sqsh --container-writable --container-name=mine touch /new'
  run as_ann 'srun --quiet --nodes=4 sh -c "enroot remove --force pyxis_mine; enroot list"'
  [ "$output" = "" ] || { echo "$output" && false; }
}

@test "container users: a program that only the image's PATH finds is started" {
  run as_ann 'srun --quiet --container-image=/home/a.sqsh of-the-image; srun --quiet of-the-image'
  [[ "$output" == *found*"of-the-image: No such file"* ]] || { echo "$output" && false; }
}

@test "container users: tasks get the variables and the socket of PMI2, and the modules of PMIx" {
  run as_ann 'srun --quiet --nodes=1 --ntasks=2 --mpi=pmi2 --container-image=/home/a.sqsh sh -c "echo \$PMI_RANK of \$PMI_SIZE; readlink /proc/self/fd/\$PMI_FD"'
  [ "$(sed 's/\[.*//' <<<"$output" | sort | xargs)" = "0 of 2 1 of 2 socket: socket:" ] || { echo "$output" && false; }
  slurm_has_pmix || return 0
  run as_ann 'srun --quiet --nodes=1 --ntasks=2 --mpi=pmix --container-image=/home/a.sqsh sh -c "
    [ \"\$PMIX_MCA_psec\" = \"\$PMIX_SECURITY_MODE\" ] && [ \"\$PMIX_MCA_gds\" = \"\$PMIX_GDS_MODULE\" ] && [ -n \"\$PMIX_MCA_gds\" ] && findmnt --noheadings --output=TARGET \$PMIX_SERVER_TMPDIR && echo \$PMIX_RANK"'
  [ "$(grep '^[01]$' <<<"$output" | sort | xargs)" = "0 1" ] || { echo "$output" && false; }
}

@test "container users: another user's named container is another container" {
  on_one --container-image=/home/a.sqsh --container-name=shared true
  run as_ann 'srun --quiet --nodes=4 --container-name=shared true'
  fails_with 1 'a container with name "shared" does not exist'
}

@test "container users: a folder that an ordinary user could have put in the way is not used" {
  with runtime_path=/tmp/evil/containers
  on_nodes 'mkdir -p /tmp/evil && chown ann /tmp/evil && ln -sfn /etc /tmp/evil/containers'
  run as_ann 'srun --quiet --container-image=/home/a.sqsh true'
  with
  fails_with 1 "can be changed by others than root"
  run on_nodes 'ls -d /etc/4321; true'
  lacks '^/etc/4321'
}

@test "container users: another user's image, its /etc/rc and its setuid files run as who started it" {
  local job node
  put_image anns.sqsh --mode usr/bin/id=6755 --pseudo 'usr/bin/whoami m 6755 4321 4321' --rc \
    'cat /home/ann/secret >/home/bob/stolen; touch /home/ann/made /home/bob/made; while [ ! -e /home/bob/go ]; do sleep 0.1; done; exec "$@"'
  sh_on login 'chown ann /home/anns.sqsh && install -d -o bob /home/bob && echo secret >/home/ann/secret && chown ann /home/ann/secret && chmod 600 /home/ann/secret'
  job=$(as bob 'sbatch --parsable --nodes=1 --output=/home/bob/out --wrap "srun --container-image=/home/anns.sqsh --container-entrypoint --container-mounts=/home sh -c \"id -u; whoami\""')
  wait_for on $NAME login test -e /home/bob/made
  node=$(on $NAME controller squeue --noheader --jobs="$job" --format=%N)
  # What the container consists of: the shell of /etc/rc, its keeper, squashfuse.
  run sh_on "$node" "ps -e -o ruid=,euid=,suid=,args= | grep -E '[/]etc/rc|[s]lipway-container|[s]quashfuse'"
  says "/etc/rc"
  lacks -v '^ *4322 *4322 *4322 '
  on $NAME login touch /home/bob/go
  is_over() { on $NAME controller scontrol show job "$job" | grep -Eq 'JobState=(COMPLETED|FAILED)'; }
  wait_for is_over
  run sh_on login 'cat /home/bob/out; stat --format="%u %s" /home/bob/made /home/bob/stolen; ls /home/ann'
  [ "$(head -n 4 <<<"$output" | xargs)" = "4322 bob 4322 0 4322 0" ] || { echo "$output" && false; }
  lacks '^made$'
}

@test "container users: the administrator's importer gets images as the user, and its errors are shown" {
  with importer=/home/importer
  run as_ann 'srun --quiet --container-image=known sh -c "echo \$FROM_IMAGE"'
  says "image"
  run as_ann 'srun --quiet --nodes=1 --ntasks=2 --container-image=unknown:1 true'
  fails_with 1 "container: cannot import docker://unknown:1: no such image"
  [ "$(grep -c 'no such image' <<<"$output")" -eq 1 ]
  with
  run sh_on login 'stat --format=%U /home/ann/imports; cat /home/ann/imports'
  [ "$output" = "$(printf 'ann\nget docker://known 4321\nrelease  4321\nget docker://unknown:1 4321')" ]
}

# ends_when_canceled OPTION...: a step whose container never comes up is canceled; soon the job has ended, its nodes serve,
# and nothing is left.
ends_when_canceled() {
  local job
  job=$(as_ann "sbatch --parsable --nodes=2 --output=/home/ann/canceled.out --wrap \"srun $*\"")
  starts() { [ "$(on_nodes "pgrep -u 4321 -f '[s]leep 86399' || true" | wc -l)" -eq 2 ]; }
  wait_for starts
  as_ann "scancel $job"
  wait_for all_are_idle
  run on_nodes "pgrep -u 4321 -f 'slipway-container|squashfuse|[s]leep 86399'; ls -d /run/slipway/containers/4321/step.* 2>/dev/null; true"
  [ "$output" = "" ] || { echo "$output" && false; }
}

# importer TEXT: the administrator's program prints this, for any image
importer() {
  write_program /home/odd-importer <<END
#!/bin/sh
[ \$1 = release ] || printf '%b' '$1'
END
}

@test "container users: what an importer prints is a path of an image, or the step fails, and root opens nothing" {
  local printed
  with importer=/home/odd-importer
  for printed in '' 'a.sqsh' '-x' '../home/a.sqsh' '\033[2J/home/a.sqsh'; do
    importer "$printed"
    run as_ann 'srun --quiet --container-image=odd true'
    [ "$status" -ne 0 ]
    [[ "$output" == *"container: /home/odd-importer did not print the path of the image docker://odd"* ]] || { echo "$printed: $output" && false; }
  done
  # Only the user's own rights open what it prints.
  sh_on login 'cp /home/a.sqsh /home/secret.sqsh && chmod 600 /home/secret.sqsh'
  importer '/home/secret.sqsh\nmore lines\n'
  run as_ann 'srun --quiet --container-image=odd true'
  fails_with 1 'container: cannot open the image `/home/secret.sqsh`: Permission denied'
  importer '/home/a.sqsh\nmore lines\n'
  run as_ann 'srun --quiet --container-image=odd sh -c "echo \$FROM_IMAGE"'
  says image
  # Any amount of output.
  write_program /home/odd-importer <<'END'
#!/bin/sh
[ $1 = release ] && exit
yes | head -c 20000000 >&2
printf '\033]0;title\007bad' >&2
exit 3
END
  run as_ann 'srun --quiet --container-image=odd true'
  with
  [ "$status" -ne 0 ]
  [[ "$output" == *"container: cannot import docker://odd: "*"title"*bad* ]] || { tail -c 300 <<<"$output" && false; }
  [ ${#output} -lt 100000 ]
  lacks "$(printf '\033')"
}

@test "container users: a job is canceled while its image is imported" {
  sh_on login 'printf "#!/bin/sh\n[ \$1 = release ] || sleep 86399\n" >/home/slow-importer && chmod 755 /home/slow-importer'
  with importer=/home/slow-importer
  ends_when_canceled --container-image=known true
  with
}

@test "container users: a job is canceled while /etc/rc of its image runs, in a container with a name, too" {
  put_image slow.sqsh --rc 'sleep 86399; exec "$@"'
  ends_when_canceled --container-image=/home/slow.sqsh true
  ends_when_canceled --container-image=/home/slow.sqsh --container-name=slow true
}

@test "container users: the container of a canceled step stays up for the steps that have joined it" {
  cancels_the_step_of_a_container /home/a.sqsh
  nothing_runs
}

@test "container users: with container_scope=job, a job's containers end with it" {
  with container_scope=job
  run as_ann 'salloc --quiet --nodes=1 sh -c "srun --container-writable --container-image=/home/a.sqsh --container-name=mine touch /new; srun --container-name=mine ls /new"'
  says "/new"
  is_gone() { [ -z "$(on_nodes 'ls -d /run/slipway/containers/4321/job.* 2>/dev/null; true')" ]; }
  wait_for is_gone
  run as_ann 'srun --quiet --nodes=4 --container-name=mine true'
  with
  [ "$status" -ne 0 ]
}

@test "container users: a wrong argument fails jobs in containers, with its text, and no others" {
  with runtime_pat=/run/x
  run as_ann 'srun --quiet true'
  [ "$status" -eq 0 ]
  run as_ann 'srun --quiet --container-image=/home/a.sqsh true'
  with
  [ "$status" -ne 0 ]
  [[ "$output" == *"container: unknown argument \`runtime_pat=/run/x\` in plugstack.conf; did you mean \`runtime_path=\`?"* ]]
}

@test "container users: sbatch has the options unless the administrator takes them away" {
  with sbatch_support=no
  run as_ann 'sbatch --container-image=/home/a.sqsh --wrap true'
  local refused=$status
  with
  [ "$refused" -ne 0 ]
  [[ "$output" == *"unrecognized option"* ]]
}

@test "container users: sockets that others name like those of PMIx keep no step from its server" {
  local node pid
  slurm_has_pmix || return 0
  node=$(compute_nodes $NAME | head -n 1)
  # Of the next jobs; names of sockets are seen from everywhere on the node.
  write_program /home/sockets.py <<'END'
import socket, os, sys, time
held = []
os.makedirs("/tmp/others", exist_ok=True)
for job in range(1, 1000):
    folder = "/tmp/others/pmix.%d.0" % job
    os.makedirs(folder, exist_ok=True)
    one = socket.socket(socket.AF_UNIX)
    one.bind("/tmp/others/stepd.slurm.pmix.%d.0" % job)
    one.listen()
    held.append(one)
open("/tmp/others/ready", "w")
time.sleep(600)
END
  slipway exec $NAME "$node" --user bob --chdir / -- sh -c 'exec setsid python3 /home/sockets.py >/dev/null 2>&1 </dev/null &'
  wait_for sh_on "$node" 'test -e /tmp/others/ready'
  run as_ann "srun --quiet --nodelist=$node --mpi=pmix --container-image=/home/a.sqsh sh -c \"findmnt --noheadings --output=TARGET \\\$PMIX_SERVER_TMPDIR\""
  sh_on "$node" 'pkill -f [h]ome/sockets.py; rm -r /tmp/others'
  [[ "$output" == */pmix.*.0* ]] || { echo "$output" && false; }
}

# bats test_tags=thorough
@test "container users: who stops the process that removes the job's containers does not hold up the epilog" {
  local node begin
  node=$(compute_nodes $NAME | head -n 1)
  write_program /home/stop.py <<'END'
import os, signal, time
open("/tmp/stops", "w")
while True:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            state = open("/proc/%s/status" % pid).read()
            parent = state.split("PPid:\t")[1].split()[0]
            if "\nUid:\t4321\t" in state and "epilog" in open("/proc/%s/cmdline" % parent).read():
                os.kill(int(pid), signal.SIGSTOP)
        except (OSError, IndexError):
            pass
END
  as_ann "srun --quiet --nodelist=$node --container-image=/home/a.sqsh true"
  slipway exec $NAME "$node" --user ann --chdir / -- sh -c 'exec setsid python3 /home/stop.py >/dev/null 2>&1 </dev/null &'
  wait_for sh_on "$node" 'test -e /tmp/stops'
  # Many files, so that there is a process to stop.
  as_ann "srun --quiet --nodelist=$node sh -c \"d=/run/slipway/containers/4321/job.\\\$SLURM_JOB_ID.x; mkdir -p \\\$d; cd \\\$d; seq 100000 | xargs touch\""
  begin=$SECONDS
  wait_for all_are_idle
  sh_on "$node" 'pkill -f [h]ome/stop.py; rm /tmp/stops'
  sh_on "$node" 'grep -q "the user.s files do not answer" /var/log/slurm/slurmd.log'
  [ $((SECONDS - begin)) -lt 45 ]
}
