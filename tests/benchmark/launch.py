#!/usr/bin/env python3
"""How long a training stands still when something fails: launch.py SLIPWAY QUICKSTART_BLUEPRINT

Eight nodes and a spare run a program that counts steps of 0.1 s, from where it was: what is measured is the launcher, not the start of a
framework. Seconds from the fault to the first step of the next attempt, and who was blamed. Then programs that fail by themselves, or
not at all: how many of them had a healthy node blamed.
"""
import json, os, pathlib, statistics, subprocess, sys, tempfile, time

NODES, SPARES, RUNS, HEARTBEAT = 8, 1, 3, 2
HEALTHY_RUNS = 20

COUNT = """#!/bin/bash
# Rank 0 writes each step, with the time and the number of the attempt.
cd /home
step=$(tail -n 1 steps 2>/dev/null | cut -d ' ' -f 2)
step=${step:-0}
while [ "$step" -lt 100000 ]; do
  step=$((step + 1))
  echo $step >"$SLIPWAY_PROGRESS"
  [ "$RANK" != 0 ] || echo "$(date +%s.%N) $step $SLIPWAY_RESTART_COUNT" >>steps
  sleep 0.1
done
"""


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

    def write(self, name, text):
        self.run("exec", self.name, "login", "--", "sh", "-c", f"cat >/home/{name}; chmod 755 /home/{name}", text=text)

    def submit(self, command):
        self.write("job.sbatch", f"#!/bin/bash\n#SBATCH --nodes={NODES + SPARES} --exclusive --no-kill\n{command}\n")
        return self.on("sbatch", "--parsable", "--chdir=/home", "--output=/home/out", "--open-mode=append", "/home/job.sbatch").strip()

    def steps(self):
        lines = self.on("sh", "-c", "cat /home/steps 2>/dev/null || true").splitlines()
        return [(float(line.split()[0]), int(line.split()[2])) for line in lines if len(line.split()) == 3]

    def blamed(self, job):
        account = json.loads(self.on("/opt/slipway/bin/slipway", "ledger", "--json", f"/home/slipway-ledger-{job}.jsonl"))
        return [each["node"] for each in account["blamed_nodes"]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("destroy", self.name)


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.1)


def stands_still(cluster, fault):
    """Seconds from the fault to the first step of the next attempt."""
    wait_until(lambda: len(cluster.steps()) > 10, 60)
    begin = time.time()
    fault()
    later = lambda: [at for at, attempt in cluster.steps() if attempt > 0]
    wait_until(later, 60)
    return later()[0] - begin


def launched(slipway, blueprint, fault_of, blames):
    """One fault in a cluster of its own: seconds, and whether the blame was right."""
    with Cluster(slipway, blueprint) as cluster:
        job = cluster.submit(f"/opt/slipway/bin/slipway launch --spares {SPARES} --heartbeat {HEARTBEAT} -- ./count.sh")
        victim = cluster.nodes[4]
        seconds = stands_still(cluster, lambda: fault_of(cluster, victim))
        right = cluster.blamed(job) == ([victim] if blames else [])
        cluster.on("scancel", job)
        return seconds, right


def healthy_blamed(slipway, blueprint):
    """Runs that end well or by their own fault: how many had a node blamed."""
    with Cluster(slipway, blueprint) as cluster:
        wrong = 0
        for i in range(HEALTHY_RUNS):
            script = ["sleep 0.3", "[ $RANK != 5 ] || exit 3", "kill -SEGV $$", "[ $((RANDOM % 4)) != 0 ] || exit 4"][i % 4]
            job = cluster.submit(f"/opt/slipway/bin/slipway launch --spares 1 --max-restarts 3 -- bash -c '{script}'; echo $? >end-$SLURM_JOB_ID")
            wait_until(lambda: cluster.on("sh", "-c", f"cat /home/end-{job} 2>/dev/null || true"), 60)
            wrong += len(cluster.blamed(job))
        return wrong


def kill_rank(cluster, node):
    cluster.on("pkill", "-KILL", "-f", "count.sh", node=node)


def fault(*words):
    return lambda cluster, node: cluster.run("fault", cluster.name, node, *words)


FAULTS = [("kill -9 of a rank", kill_rank, False), ("power-off of a node", fault("power-off"), True), ("frozen node", fault("hang"), True),
          ("interface down", fault("link-down", "enp0s12"), True)]


def blueprint_of(quickstart, folder):
    text = pathlib.Path(quickstart).read_text().replace("node_count_static: 4", f"node_count_static: {NODES + SPARES}")
    path = pathlib.Path(folder) / "launch.yaml"
    path.write_text(text)
    return str(path)


def main():
    slipway, quickstart = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        blueprint = blueprint_of(quickstart, folder)
        print(f"{NODES} nodes and {SPARES} spare, --heartbeat {HEARTBEAT}")
        print(f"{'fault':<22} {'median s':>9} {'least':>7} {'most':>7}  blame right")
        for name, action, blames in FAULTS:
            seconds, right = zip(*(launched(slipway, blueprint, action, blames) for _ in range(RUNS)))
            print(f"{name:<22} {statistics.median(seconds):9.2f} {min(seconds):7.2f} {max(seconds):7.2f}  {sum(right)} of {RUNS}", flush=True)
        print(f"healthy nodes blamed in {HEALTHY_RUNS} runs that ended well or by their own fault: {healthy_blamed(slipway, blueprint)}", flush=True)


if __name__ == "__main__":
    main()
