#!/usr/bin/env python3
"""Kills nodes of trainings at seeded moments, and compares their losses with those of an undisturbed run.

    kill_nodes.py SLIPWAY DEPLOYMENT NODES MOMENTS SEED [--torch]

NODES is the beginning of the nodes' names; 12 of them run jobs on 8, with 4 spares. At each moment a node or two lose power at once, at any time of
a step and of its copies; not the first, whose batch script would take the job's memory along. Folders that nodes share are unmounted on all nodes
but the first. Checks that losses are equal to the last bit, and that each attempt begins with the newest step that was complete before the fault,
or a newer one. Prints what was seen.
"""
import json, random, re, statistics, subprocess, sys, time

SLIPWAY, DEPLOYMENT, NODES = sys.argv[1:4]
MOMENTS, SEED, TORCH = int(sys.argv[4]), int(sys.argv[5]), "--torch" in sys.argv
RANKS, SPARES, PATIENCE = 8, 4, 240
STEPS, KIB = (40, 0) if TORCH else (min(150, 40 + 15 * MOMENTS), 4096)
TRAIN = "/opt/slipway/share/slipway/examples/train/train.py"
PROGRAM = (f"sh -c 'mkdir -p /tmp/none-$SLURM_JOB_ID; exec /usr/bin/python3 {TRAIN} --steps {STEPS} --every 100000 --batch 8 --context 32 --width 64 "
           f"--layers 1 --checkpoints /tmp/none-$SLURM_JOB_ID --losses /dev/stdout'" if TORCH
           else f"/usr/bin/python3 /usr/local/bin/small_training.py {STEPS} {KIB}")
LOSS = re.compile(r"^(\d+) (\S+)$" if TORCH else r"^step (\d+) loss (\S+) at (\S+)$", re.M)


def on(node, *command, text=None, check=True):
    return subprocess.run([SLIPWAY, "exec", DEPLOYMENT, node, "--", *command], input=text, text=True, check=check,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


def fault(node, kind):
    subprocess.run([SLIPWAY, "fault", DEPLOYMENT, node, kind], check=True, stdout=subprocess.DEVNULL)


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not (result := condition()):
        if time.monotonic() > end:
            sys.exit(f"waited without success for {what}")
        time.sleep(0.05)
    return result


def prepare(node):
    """The program is on the node, which no longer sees what nodes share."""
    if not TORCH:
        on(node, "sh", "-c", "cat >/usr/local/bin/small_training.py", text=open(__file__.replace("kill_nodes", "small_training")).read())
    if node != f"{NODES}-0":
        on(node, "sh", "-c", "! mountpoint -q /home || umount -l /home")


def idle(nodes):
    states = on("controller", "sinfo", "--noheader", "--Node", "--format=%N %T")
    return all(f"{node} idle\n" in states for node in nodes)


class Job:
    def __init__(self, nodes, options):
        script = f"""#!/bin/bash
#SBATCH --nodes={nodes}
#SBATCH --nodelist={NODES}-0
#SBATCH --exclusive
#SBATCH --no-kill
#SBATCH --output=/home/%j.out
#SBATCH --chdir=/home
/opt/slipway/bin/slipway launch {options} -- {PROGRAM}
echo "status $?"
"""
        on("login", "sh", "-c", "cat >/home/kills.sbatch", text=script)
        self.number = on("login", "sbatch", "--parsable", "/home/kills.sbatch").strip()

    def output(self):
        return on("login", "cat", f"/home/{self.number}.out", check=False)

    def ledger(self):
        lines = on("login", "cat", f"/home/slipway-ledger-{self.number}.jsonl", check=False).splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def last_step(self):
        return max([int(each[0]) for each in LOSS.findall(self.output())], default=0)

    def end(self):
        wait_for(f"job {self.number} to end", lambda: re.search(r"^status \d+$", self.output(), re.M))
        output = self.output()
        if "\nstatus 0\n" not in output:
            sys.exit(output)
        return output


def losses_of(output):
    """The losses of each step; more than one if a step that was done again had another one."""
    losses = {}
    for each in LOSS.findall(output):
        losses.setdefault(int(each[0]), set()).add(each[1])
    return losses


def kill(job, random_, dead):
    """Returns the step that was printed last before the fault, when it was, and how many nodes died."""
    start = [each for each in job.ledger() if each["event"] == "start"][-1]
    candidates = [node for node in start["nodes"] if node != f"{NODES}-0"]
    count = min(random_.choice((1, 1, 2)), SPARES - len(dead))
    victims = random_.sample(candidates, count)
    at = job.last_step() + random_.randint(2, 5 if TORCH else 12)
    wait_for(f"step {at} of job {job.number}", lambda: job.last_step() >= at)
    time.sleep(random_.random() * 0.3)
    when = time.time()
    for node in victims:
        fault(node, "power-off")
    dead.extend(victims)
    wait_for("the next attempt", lambda: [e for e in job.ledger() if e["event"] == "restore"][-1:] and
             [e for e in job.ledger() if e["event"] == "restore"][-1]["attempt"] > start["attempt"])
    return when, count


def judge(job, output, undisturbed, kills):
    """Returns for each kill: seconds until the next step of the next attempt, and steps done again."""
    losses = losses_of(output)
    different = sorted(step for step, values in losses.items() if values != undisturbed[step])
    if different or losses.keys() != undisturbed.keys():
        sys.exit(f"job {job.number}: other losses at steps {different}\n{output}")
    restores = [each for each in job.ledger() if each["event"] == "restore"]
    parts = re.split(r"slipway launch: attempt \d+ on 8 nodes.*\n", output)[1:]
    # The second of two nodes may be missed after the next attempt has begun, which then takes no step.
    taken = [i for i in range(len(restores)) if LOSS.search(parts[i + 1])]
    restores, parts = [restores[i] for i in taken], parts[:1] + [parts[i + 1] for i in taken]
    if len(restores) != len(kills):
        sys.exit(f"job {job.number}: {len(restores)} restores after {len(kills)} faults\n{output}")
    results = []
    for (when, _), restore, before, after in zip(kills, restores, parts, parts[1:]):
        if restore["what"] != "memory":
            sys.exit(f"job {job.number}: {restore}\n{output}")
        again = int(LOSS.findall(before)[-1][0]) - restore["step"]
        first = LOSS.findall(after)[0]
        if int(first[0]) != restore["step"] + 1:
            sys.exit(f"job {job.number}: the first step is {first}, after {restore}\n{output}")
        results.append((float(first[2]) - when if len(first) > 2 else float("nan"), again))
    return results


def main():
    nodes = [f"{NODES}-{i}" for i in range(RANKS + SPARES)]
    random_ = random.Random(SEED)
    wait_for("all nodes", lambda: idle(nodes))
    for node in nodes:
        prepare(node)
    undisturbed = losses_of(Job(RANKS, "").end())
    if len(undisturbed) != STEPS:
        sys.exit(f"the undisturbed run has {len(undisturbed)} steps")
    seconds, again, pairs, done, jobs = [], [], 0, 0, 0
    while done < MOMENTS:
        job, dead, kills = Job(RANKS + SPARES, f"--spares {SPARES} --heartbeat 2 --mpi none --fast-checkpoints"), [], []
        jobs += 1
        wait_for("copies", lambda: "is the first in memory" in job.output())
        while len(dead) < SPARES and done + len(kills) < MOMENTS and job.last_step() < STEPS - 25:
            kills.append(kill(job, random_, dead))
        output = job.end()
        for one, steps in judge(job, output, undisturbed, kills):
            seconds.append(one)
            again.append(steps)
        pairs += sum(count == 2 for _, count in kills)
        done += len(kills)
        for node in dead:
            fault(node, "power-on")
        wait_for("all nodes", lambda: idle(nodes))
        for node in dead:
            prepare(node)
        print(f"{done} moments in {jobs} jobs: {pairs} of two nodes; steps done again: median {statistics.median(again)}, at most {max(again)}; "
              f"seconds from the fault to the next step: median {statistics.median(seconds):.1f}, at most {max(seconds):.1f}", flush=True)


main()
