#!/usr/bin/env python3
"""How long a training stands still when something fails: launch.py SLIPWAY QUICKSTART_BLUEPRINT [PART...]

Parts, all of them by default:
faults    Eight nodes and a spare run a program that counts steps of 0.1 s and keeps every tenth: what is measured is the launcher, not the start
          of a framework. Seconds from the fault to the first step of the next attempt, steps that had to be done again, and who was blamed.
container A node without power again, with the tasks in a container and without, in turns.
training  A node without power in examples/train, PyTorch on eight nodes; beside it how long it takes to start at all.
requeue   The same node lost in the same cluster, by Slurm alone: --requeue and Slurm's default SlurmdTimeout.
mpi       How long after `slipway launch` the first task runs on three nodes, with PMIx and without; and an MPI program, by it and by srun.
healthy   Programs that fail by themselves, or not at all: how many of them had a healthy node blamed.
"""
import json, os, pathlib, statistics, subprocess, sys, tempfile, time

NODES, SPARES, RUNS, HEARTBEAT = 8, 1, 3, 2
HEALTHY_RUNS = 100
MPI_NODES, STARTS = 3, 20
KEEP_EVERY = 10  # steps
SLURMD_TIMEOUT = 300  # seconds, Slurm's default: slurm.conf(5)

# Rank 0 writes each step, with the time and the number of the attempt; by srun, with the number of the requeue.
COUNT = f"""#!/bin/bash
cd /home
rank=${{RANK:-$SLURM_PROCID}} attempt=${{SLIPWAY_RESTART_COUNT:-${{SLURM_RESTART_COUNT:-0}}}}
step=$(cat kept 2>/dev/null || echo 0)
while [ "$step" -lt 100000 ]; do
  step=$((step + 1))
  [ -z "$SLIPWAY_PROGRESS" ] || echo $step >"$SLIPWAY_PROGRESS"
  if [ "$rank" = 0 ]; then
    echo "$(date +%s.%N) $step $attempt" >>steps
    [ $((step % {KEEP_EVERY})) != 0 ] || {{ echo $step >kept.new; mv kept.new kept; }}
  fi
  sleep 0.1
done
"""

LAUNCH = f"/opt/slipway/bin/slipway launch --spares {SPARES} --heartbeat {HEARTBEAT}"


class Cluster:
    def __init__(self, slipway, blueprint):
        self.slipway, self.name = slipway, f"bench-launch-{os.getpid()}"
        self.run("deploy", "--quiet", blueprint, "--vars", f"deployment_name={self.name}")
        self.write("count.sh", COUNT)
        self.nodes = sorted(set(self.on("sinfo", "--noheader", "--Node", "--format=%N").split()))

    def run(self, *arguments, text=None):
        done = subprocess.run([self.slipway, *arguments], check=True, capture_output=True, text=True, input=text)
        return done.stdout

    def on(self, *command, node="login"):
        return self.run("exec", self.name, node, "--", *command)

    def read(self, name):
        return self.on("sh", "-c", f"cat /home/{name} 2>/dev/null || true")

    def write(self, name, text):
        self.run("exec", self.name, "login", "--", "sh", "-c", f"cat >/home/{name}; chmod 755 /home/{name}", text=text)

    def submit(self, command, options=f"--nodes={NODES + SPARES} --no-kill"):
        self.write("job.sbatch", f"#!/bin/bash\n#SBATCH {options} --exclusive\n{command}\n")
        return self.on("sbatch", "--parsable", "--chdir=/home", "--output=/home/out", "--open-mode=append", "/home/job.sbatch").strip()

    def steps(self, attempts):
        """(time, step, attempt) of each step of these attempts."""
        fields = [line.split() for line in self.read("steps").splitlines()]
        steps = [(float(each[0]), int(each[1]), int(each[2])) for each in fields if len(each) == 3]
        return [step for step in steps if step[2] in attempts]

    def account(self, job):
        return json.loads(self.on("/opt/slipway/bin/slipway", "ledger", "--json", f"/home/slipway-ledger-{job}.jsonl"))

    def blamed(self, job):
        return [each["node"] for each in self.account(job)["blamed_nodes"]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("destroy", self.name)


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("timed out")
        time.sleep(0.1)


def stands_still(cluster, fault, seconds=60):
    """Seconds from the fault to the first step after it, and how many steps were done again."""
    wait_until(lambda: len(cluster.steps([0])) > 2 * KEEP_EVERY, 60)
    begin = time.time()
    fault()
    wait_until(lambda: cluster.steps([1]), seconds)
    after = cluster.steps([1])[0]
    before = max(step for at, step, _ in cluster.steps([0]))
    return after[0] - begin, before - after[1] + 1


def launched(slipway, blueprint, fault_of, blames, image=None):
    """One fault in a cluster of its own: seconds, steps done again, and whether the blame was right."""
    with Cluster(slipway, blueprint) as cluster:
        if image:
            with open(image, "rb") as file:
                subprocess.run([slipway, "exec", cluster.name, "login", "--", "sh", "-c", "cat >/home/image.sqsh"], check=True, stdin=file)
        options = "--container-image=/home/image.sqsh --container-mounts=/home" if image else ""
        job = cluster.submit(f"{LAUNCH} {options} -- /home/count.sh")
        victim = cluster.nodes[4]
        seconds, steps = stands_still(cluster, lambda: fault_of(cluster, victim))
        right = cluster.blamed(job) == ([victim] if blames else [])
        cluster.on("scancel", job)
        return seconds, steps, right


def faults(slipway, blueprint):
    print(f"{NODES} nodes and {SPARES} spare, --heartbeat {HEARTBEAT}, every {KEEP_EVERY}th step of 0.1 s is kept; {RUNS} runs")
    print(f"{'fault':<22} {'median s':>9} {'least':>7} {'most':>7} {'steps again':>12}  blame right")
    for name, action, blames in FAULTS:
        seconds, steps, right = zip(*(launched(slipway, blueprint, action, blames) for _ in range(RUNS)))
        print(f"{name:<22} {statistics.median(seconds):9.2f} {min(seconds):7.2f} {max(seconds):7.2f} {max(steps):12}  {sum(right)} of {RUNS}", flush=True)


def container(slipway, blueprint):
    """A node without power, with the tasks on the nodes and in a container, in turns."""
    maker = pathlib.Path(__file__).parent.parent / "system/container_image.py"
    with tempfile.TemporaryDirectory() as folder:
        image = folder + "/image.sqsh"
        subprocess.run([maker, image], check=True)
        power_off = fault("power-off")
        runs = [(launched(slipway, blueprint, power_off, True), launched(slipway, blueprint, power_off, True, image)) for _ in range(RUNS)]
    for what, results in zip(["power-off", "power-off, in a container"], zip(*runs)):
        seconds = [each[0] for each in results]
        print(f"{what:<26} {statistics.median(seconds):6.2f} s ({min(seconds):.2f} to {max(seconds):.2f}), blame right in {sum(each[2] for each in results)} of {RUNS}",
              flush=True)


def training(slipway, blueprint):
    """A node without power in a training: its losses are written as steps are done."""
    with Cluster(slipway, blueprint) as cluster:
        script = "/opt/slipway/share/slipway/examples/train/train.py"
        job = cluster.submit(f"mkdir -p checkpoints\n{LAUNCH} -- /usr/bin/python3 {script} --checkpoints checkpoints --steps 100000 --every 20 "
                             "--batch 8 --context 32 --width 32 --layers 1 --losses losses")
        done = lambda: cluster.read("losses").count("\n")
        wait_until(lambda: done() > 50, 180)
        startup = cluster.account(job)["seconds"]["startup"]
        begin = time.time()
        cluster.run("fault", cluster.name, cluster.nodes[4], "power-off")
        wait_until(lambda: cluster.account(job)["attempts"] == 2, 60)
        back = time.time() - begin
        before = done()
        wait_until(lambda: done() > before, 180)
        seconds = time.time() - begin
        right = cluster.blamed(job) == [cluster.nodes[4]]
        cluster.on("scancel", job)
    print(f"training, power-off: {back:.2f} s to the next attempt, {seconds:.2f} s to its first step; the first attempt took {startup:.2f} s to its own; "
          f"blame {'right' if right else 'wrong'}", flush=True)


def requeue(slipway, blueprint):
    """The same in one cluster, by the launcher and by Slurm alone."""
    with Cluster(slipway, blueprint) as cluster:
        conf = pathlib.Path("/var/lib/slipway/deployments", cluster.name, "slurm/slurm.conf")
        lines = [f"SlurmdTimeout={SLURMD_TIMEOUT}" if line.startswith("SlurmdTimeout=") else line for line in conf.read_text().splitlines()]
        conf.write_text("\n".join(lines) + "\n")
        cluster.on("scontrol", "reconfigure", node="controller")
        power_off = lambda: cluster.run("fault", cluster.name, cluster.nodes[4], "power-off")
        job = cluster.submit(f"{LAUNCH} -- ./count.sh")
        ours, _ = stands_still(cluster, power_off)
        cluster.on("scancel", job)
        cluster.run("fault", cluster.name, cluster.nodes[4], "power-on")
        cluster.on("sh", "-c", "rm -f /home/steps /home/kept")
        # Slurm waits a minute for the lost node to say that its part of the step has ended.
        wait_until(lambda: not cluster.on("squeue", "--noheader"), 120)
        # On all but the last node, which it may have after the requeue.
        job = cluster.submit("srun --ntasks-per-node=1 ./count.sh", f"--nodes={NODES} --requeue")
        slurms, _ = stands_still(cluster, power_off, 1200)
        cluster.on("scancel", job)
    print(f"power-off with SlurmdTimeout={SLURMD_TIMEOUT}: {ours:.2f} s by slipway launch, {slurms:.2f} s by Slurm's requeue: {slurms / ours:.0f} times", flush=True)


def healthy(slipway, blueprint):
    """Runs that end well or by their own fault: how many had a node blamed."""
    wrong = 0
    with Cluster(slipway, blueprint) as cluster:
        for i in range(HEALTHY_RUNS):
            script = ["sleep 0.3", "[ $RANK != 5 ] || exit 3", "kill -SEGV $$", "[ $((RANDOM % 4)) != 0 ] || exit 4"][i % 4]
            job = cluster.submit(f"/opt/slipway/bin/slipway launch --spares 1 --max-restarts 3 -- bash -c '{script}'; echo $? >end-$SLURM_JOB_ID")
            wait_until(lambda: cluster.read(f"end-{job}"), 60)
            wrong += len(cluster.blamed(job))
    print(f"healthy nodes blamed in {HEALTHY_RUNS} runs that ended well or by their own fault: {wrong}", flush=True)


def mpi(slipway, blueprint):
    """In turn, in one job: seconds to the first task, and of a whole MPI program."""
    launch = "/opt/slipway/bin/slipway launch --ntasks-per-node 1"
    gather = "/opt/slipway/bin/all_gather_perf --backend mpi -b 1K -e 1K -n 1"
    script = [f"for i in $(seq {STARTS}); do"]
    for kind in ("none", "pmix"):
        script.append(f"""a=$(date +%s%N); {launch} --mpi {kind} -- sh -c '[ $RANK != 0 ] || date +%s%N >began'; echo {kind} $(($(cat began) - a))""")
    for name, command in (("launch", f"{launch} -- {gather}"), ("srun", f"srun --overlap --mpi=pmix --ntasks-per-node=1 {gather}")):
        script.append(f"a=$(date +%s%N); {command}; echo {name} $(($(date +%s%N) - a))")
    with Cluster(slipway, blueprint) as cluster:
        cluster.submit("\n".join([*script, "done", "echo over"]), f"--nodes={MPI_NODES} --no-kill")
        wait_until(lambda: cluster.read("out").endswith("over\n"), 60 * STARTS)
        lines = [line.split() for line in cluster.read("out").splitlines()]
    print(f"{STARTS} starts on {MPI_NODES} nodes, median ms (least, most)")
    for name, what in (("none", "to the first task, --mpi none"), ("pmix", "to the first task, --mpi pmix"), ("launch", "all_gather_perf by launch"),
                       ("srun", "all_gather_perf by srun")):
        times = [int(line[1]) / 1e6 for line in lines if len(line) == 2 and line[0] == name]
        print(f"{what:<30} {statistics.median(times):6.0f} ({min(times):.0f}, {max(times):.0f})", flush=True)


def kill_rank(cluster, node):
    cluster.on("pkill", "-KILL", "-f", "count.sh", node=node)


def fault(*words):
    return lambda cluster, node: cluster.run("fault", cluster.name, node, *words)


FAULTS = [("kill -9 of a rank", kill_rank, False), ("power-off of a node", fault("power-off"), True), ("frozen node", fault("hang"), True),
          ("interface down", fault("link-down", "enp0s12"), True), ("Xid 79, simulated", fault("gpu-xid", "3", "79"), True)]
PARTS = {"faults": faults, "container": container, "training": training, "requeue": requeue, "mpi": mpi, "healthy": healthy}


def blueprint_of(quickstart, folder):
    text = pathlib.Path(quickstart).read_text().replace("node_count_static: 4", f"node_count_static: {NODES + SPARES}")
    path = pathlib.Path(folder) / "launch.yaml"
    path.write_text(text)
    return str(path)


def run_parts(parts):
    """Those on the command line, or all, with the program and the blueprint that it names."""
    slipway, quickstart, *wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        blueprint = blueprint_of(quickstart, folder)
        for part in wanted or parts:
            parts[part](slipway, blueprint)


if __name__ == "__main__":
    run_parts(PARTS)
