#!/usr/bin/env python3
"""What fast checkpoints cost a training, and what they save: checkpoint_train.py SLIPWAY QUICKSTART_BLUEPRINT [PART...]

Parts, all of them by default. All nodes share this machine's processors and memory, so copies take time from the training that they would not
take on machines of their own: only ratios of one run say something.
slowdown  examples/train on four nodes, in turns without checkpoints in memory, with one at every tenth step, and at every step. Seconds for a step. A
          run that takes more than a minute is ended, and the others of its round are ignored.
fault     Two nodes and a spare, with steps of 1 KiB and of 1 GiB a rank, in turns: seconds from the loss of a node to the next step.
memory    Four nodes that write 16 MiB a rank at every step, once a second and 20 times a second, which is faster than copies are made: what is
          held on a node at most, and what the keeper's process itself takes.
"""
import re, statistics, sys, time

from launch import HEARTBEAT, Cluster, run_parts, wait_until

ROUNDS, STEPS, EVERY, LIMIT_SECONDS = 4, 24, 4, 60
MEMORY_MIB, MEMORY_SAMPLES = 16, 100
TRAIN = "/usr/bin/python3 /opt/slipway/share/slipway/examples/train/train.py"
MODEL = "--batch 8 --context 64 --width 128 --layers 4"
KINDS = {"none": ("", ""), "tenth": ("--fast-checkpoints", "--memory-every 10"), "every": ("--fast-checkpoints", "--memory-every 1")}

# saves.py BYTES SECONDS [once]: saves at every step, or only at the first.
SAVES = """import os, pathlib, sys, time
size, seconds, once = int(sys.argv[1]), float(sys.argv[2]), "once" in sys.argv
folder, rank = pathlib.Path(os.environ["SLIPWAY_CHECKPOINTS"]), os.environ["RANK"]
found = list(folder.glob("step-*"))
step = int(found[0].name[5:]) if found else 0
assert not found or (found[0] / "state").stat().st_size == size
block = os.urandom(1 << 20)
while True:
    step += 1
    if step == 1 or not once:
        partial = folder / f"step-{step}.tmp"
        partial.mkdir()
        with open(partial / "state", "wb") as file:
            for at in range(0, size, len(block)):
                file.write(block[:size - at])
        partial.rename(folder / f"step-{step}")
    if rank == "0":
        with open("/home/steps", "a") as file:
            file.write(f"{time.time()} {step} {os.environ['SLIPWAY_RESTART_COUNT']}\\n")
    time.sleep(seconds)
"""


def slowdown(slipway, blueprint):
    with Cluster(slipway, blueprint) as cluster:
        script = ["mkdir -p none", f"for i in $(seq {ROUNDS}); do"]
        for kind, (launch, train) in KINDS.items():
            script.append(f"""echo "kind {kind}"; timeout {LIMIT_SECONDS} /opt/slipway/bin/slipway launch --mpi none {launch} -- {TRAIN} --checkpoints none --steps {STEPS} """
                          f"""--every {EVERY} {MODEL} {train} 2>&1 | while read -r line; do echo "$(date +%s.%N) $line"; done; rm -rf none/*""")
        cluster.submit("\n".join([*script, "done", "echo over"]), "--nodes=4 --no-kill")
        wait_until(lambda: cluster.read("out").endswith("over\n"), (LIMIT_SECONDS + 10) * ROUNDS * len(KINDS))
        output = cluster.read("out")
    seconds = {kind: [] for kind in KINDS}
    for kind, text in re.findall(r"^kind (\w+)\n(.*?)(?=^kind |^over)", output, re.M | re.S):
        times = {int(step): float(at) for at, step in re.findall(r"^(\S+) .*?step (\d+): loss", text, re.M)}
        # Until the first of these, the framework starts.
        seconds[kind].append((times[STEPS] - times[EVERY]) / (STEPS - EVERY) if STEPS in times else None)
    rounds = [each for each in zip(*seconds.values()) if None not in each]
    if not rounds:
        sys.exit(output)
    for kind, all_ in zip(KINDS, zip(*rounds)):
        ratio = statistics.median(a / b for a, (b, *_) in zip(all_, rounds))
        print(f"slowdown, {kind:<6} {statistics.median(all_) * 1000:7.1f} ms a step ({min(all_) * 1000:.1f} to {max(all_) * 1000:.1f}), "
              f"{ratio:.3f} of that without, {len(all_)} of {ROUNDS} rounds", flush=True)


def first_step(cluster, size):
    """Seconds from the loss of a node to the next step."""
    cluster.on("rm", "-f", "/home/steps", "/home/out")
    job = cluster.submit(f"/opt/slipway/bin/slipway launch --spares 1 --heartbeat {HEARTBEAT} --mpi none --fast-checkpoints=3G --copies 1 -- "
                         f"/usr/bin/python3 /home/saves.py {size} 0.05 once", f"--nodes=3 --no-kill --nodelist={','.join(cluster.nodes[:3])}")
    wait_until(lambda: "is the first in memory" in cluster.read("out"), 240)
    begin = time.time()
    cluster.run("fault", cluster.name, cluster.nodes[1], "power-off")
    wait_until(lambda: cluster.steps([1]), 240)
    output = cluster.read("out")
    cluster.on("scancel", job)
    cluster.run("fault", cluster.name, cluster.nodes[1], "power-on")
    wait_until(lambda: cluster.on("sinfo", "--noheader", "--format=%T").split() == ["idle"] and not cluster.on("squeue", "--noheader"), 240)
    at, step, _ = cluster.steps([1])[0]
    if "each rank has step 1 from memory" not in output or step != 2:
        sys.exit(output)
    return at - begin


def fault(slipway, blueprint):
    with Cluster(slipway, blueprint) as cluster:
        cluster.write("saves.py", SAVES)
        small, large = zip(*[(first_step(cluster, 1 << 10), first_step(cluster, 1 << 30)) for _ in range(3)])
    for what, seconds in (("1 KiB", small), ("1 GiB", large)):
        print(f"from the fault to the next step with {what} a rank: {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})", flush=True)


def memory(slipway, blueprint):
    with Cluster(slipway, blueprint) as cluster:
        cluster.write("saves.py", SAVES)
        look = 'pid=$(pgrep -o slipway-keeper); nsenter --mount --target "$pid" du -sk /dev/shm 2>/dev/null | cut -f1; ps -o rss= -p "$pid"'
        for seconds in (1, 0.05):
            cluster.on("rm", "-f", "/home/out")
            job = cluster.submit(f"/opt/slipway/bin/slipway launch --mpi none --fast-checkpoints=4G -- /usr/bin/python3 /home/saves.py {MEMORY_MIB << 20} {seconds}",
                                 f"--nodes=4 --no-kill --nodelist={','.join(cluster.nodes[:4])}")
            wait_until(lambda: "is the first in memory" in cluster.read("out"), 240)
            samples = [[int(each) / 1024 for each in cluster.on("sh", "-c", look, node=cluster.nodes[0]).split()] for _ in range(MEMORY_SAMPLES)]
            held, resident = zip(*samples)
            print(f"held on a node with a step each {seconds} s: {statistics.median(held) / MEMORY_MIB:.1f} times the {MEMORY_MIB} MiB of a step, at most "
                  f"{max(held) / MEMORY_MIB:.1f}, in {MEMORY_SAMPLES} samples; the keeper itself: {max(resident):.0f} MiB", flush=True)
            cluster.on("scancel", job)
            wait_until(lambda: not cluster.on("squeue", "--noheader"), 240)


PARTS = {"slowdown": slowdown, "fault": fault, "memory": memory}


if __name__ == "__main__":
    run_parts(PARTS)
