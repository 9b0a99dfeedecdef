#!/usr/bin/env python3
"""Lets a local cluster live: jobs, faults, kills and redeploys at random, from a seed, and peace from time to time.

    random_life.py SLIPWAY DEPLOYMENT BLUEPRINT SUPERVISOR NODES SECONDS SEED

The cluster of BLUEPRINT, examples/quickstart.yaml, runs with NODES nodes; SUPERVISOR is its first process. In times of peace, faults are cleared, jobs end, and then has to be true:

- every node is idle, without help by a person; only slurmd is started again if jobs stay in the queue;
- a job that was neither canceled nor touched by a fault has ended well;
- the cluster has the processes that it had after the first adversity, its daemons have about as much memory and as many open files, and jobs
  have left no file in /tmp and /dev/shm of their nodes;
- slurmctld answers as fast as it did then.

Prints a line for each time of peace and, if something is not true, what was done before. Exit status 1 then.
"""
import collections, pathlib, random, re, signal, statistics, subprocess, sys, time

SLIPWAY, DEPLOYMENT, BLUEPRINT = sys.argv[1:4]
SUPERVISOR, NODES, SECONDS, SEED = map(int, sys.argv[4:8])
PARTITION = f"{re.sub('[^a-z0-9]', '', DEPLOYMENT)[:10]}-a3meganodeset"
CONTROLLER = f"{PARTITION.split('-')[0]}-controller"
FEWER = NODES - max(1, NODES // 16)
ROUND_SECONDS = 240  # of adversity, before peace
PATIENCE = 900  # for peace
AT_ONCE = max(1, NODES // 10)  # nodes with a fault
# slurmd that dies between the start of a job's first process (`extern`) and of its script leaves a job that Slurm ends by this only.
JOB_MINUTES = 5
LONGEST_QUEUE = 12
DAEMONS = ("slipway-super", "slurmctld", "slurmd", "munged")
AFTER_FAULT = 60  # seconds in which it still may touch jobs
LATENCY_RATIO, LATENCY_PROBES = 2, 31
# Allocators keep memory, and Slurm keeps ended jobs for MinJobAge.
MEMORY_RATIO, MEMORY_ROOM_MIB = 1.5, 24
FILES_ROOM = 8

# Faults, and whether a restart is part of the repair.
FAULTS = [("power-off", False), ("hang", False), ("link-down enp0s12", False), ("link-rate enp0s12 100mbit", False), ("gpu-lost 1", False),
          ("gpu-missing 2", False), ("gpu-ecc 5 2", False), ("gpu-celsius 3 95", False), ("gpu-nvlink 0 3", False), ("gpu-pcie-width 4 4", False),
          ("nvml-hang", False), ("nvml-mismatch", False), ("disk-full /tmp", False), ("disk-full /var/spool/slurmd", False),
          ("daemon-killed slurmd", False), ("daemon-killed munged", False), ("gpu-xid 3 79", True), ("kernel-log oops", True)]
# Not slurmstepd: Slurm leaves what it ran to itself.
KILLED_ON_NODES = ["slurmd", "munged", "sleep", "srun", "slipway"]
# Slurm looks for jobs that a node lost when the node registers, after BatchStartTimeout and MessageTimeout (60 s each) at the
# earliest: without a start of slurmd, at every twentieth ping.
BEFORE_NODES_REGISTER = 130

LAUNCHED = """step=0; while [ $step -lt %d ]; do step=$((step + 1)); [ "$RANK" != 0 ] || echo $step >"$SLIPWAY_PROGRESS"; sleep 1; done"""


def now():
    return time.time()


class NoPeace(Exception):
    pass


def run(*command, text=None, timeout=300):
    """The output of a command that may fail."""
    try:
        done = subprocess.run(command, input=text, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, "timeout"
    return done.returncode, done.stdout


def on(node, *command, **options):
    return run(SLIPWAY, "exec", DEPLOYMENT, node, "--", *command, **options)


def deploy_of(nodes):
    return [SLIPWAY, "deploy", BLUEPRINT, "--vars", f"deployment_name={DEPLOYMENT}", "--nodes", f"a3mega_nodeset={nodes}", "--quiet"]


class Job:
    def __init__(self, number, kind):
        self.number, self.kind, self.submitted, self.canceled = number, kind, now(), False


class Life:
    def __init__(self):
        self.random = random.Random(SEED)
        self.jobs, self.touched, self.faults, self.done = {}, [], {}, []
        self.counts = collections.Counter()
        self.first = None

    def note(self, text):
        self.done.append(f"{time.strftime('%H:%M:%S')} {text}")

    def touch(self, node, until=None):
        """Jobs on this node, or on all of them ("*"), may suffer from now on."""
        entry = [node, now() - 1, until]
        self.touched.append(entry)
        return entry

    # What happens

    def submit(self):
        status, queue = on(CONTROLLER, "squeue", "--noheader")
        if status != 0 or len(queue.splitlines()) > LONGEST_QUEUE:
            return
        kind = self.random.choices(["batch", "launch", "array"], [6, 3, 1])[0]
        nodes, seconds = self.random.randint(1, max(2, NODES // 4)), self.random.randint(1, 40)
        script = ["#!/bin/bash", f"#SBATCH --output=/dev/null --chdir=/home/random --time={JOB_MINUTES}", f"#SBATCH --nodes={nodes}",
                  'id=$SLURM_JOB_ID', 'echo "begin $(date +%s) $(scontrol show hostnames | tr "\\n" " ")" >>$id']
        options = []
        if kind == "batch":
            script += [f"srun sh -c 'echo x >/tmp/of-a-job; echo x >/dev/shm/of-a-job; sleep {seconds}; hostname' >$id.names && "
                       f"[ $(sort -u $id.names | wc -l) -eq {nodes} ] && echo \"end $(date +%s)\" >>$id"]
        elif kind == "launch":
            nodes = max(3, nodes)
            script[2] = f"#SBATCH --nodes={nodes} --exclusive --no-kill"
            program = LAUNCHED % seconds
            script += [f"/opt/slipway/bin/slipway launch --heartbeat 30 --spares 1 -- bash -c '{program}' >$id.out 2>&1 && echo \"end $(date +%s)\" >>$id"]
        else:
            options = [f"--array=1-{NODES}"]
            script[2] = "#SBATCH --nodes=1"
            script += ['echo "end $(date +%s)" >>$id']
        status, output = on("login", "sbatch", "--parsable", *options, text="\n".join(script) + "\n")
        if status == 0 and output.strip().splitlines()[-1].isdigit():
            number = output.strip().splitlines()[-1]
            self.jobs[number] = Job(number, kind)
            self.note(f"job {number}: {kind} on {nodes} nodes")
        else:
            self.note(f"sbatch failed: {output.strip()[-200:]}")

    def cancel(self):
        waiting = [job for job in self.jobs.values() if not job.canceled]
        if waiting:
            job = self.random.choice(waiting[-10:])
            job.canceled = True
            on("login", "scancel", job.number)
            self.note(f"job {job.number} canceled")

    def fault(self):
        free = [number for number in range(FEWER) if number not in self.faults]
        if len(self.faults) >= AT_ONCE or not free:
            return
        number = self.random.choice(free)
        words, restart = self.random.choice(FAULTS)
        node = f"{PARTITION}-{number}"
        self.faults[number] = (words, restart, now() + self.random.randint(5, 90), self.touch(node))
        status, output = run(SLIPWAY, "fault", DEPLOYMENT, node, *words.split())
        self.note(f"{node}: {words}" + ("" if status == 0 else f" failed: {output.strip()[-200:]}"))
        self.counts["fault that failed"] += status != 0

    def repair(self, number):
        words, restart, _, entry = self.faults.pop(number)
        node = f"{PARTITION}-{number}"
        run(SLIPWAY, "fault", DEPLOYMENT, node, "clear")
        if restart:
            run(SLIPWAY, "fault", DEPLOYMENT, node, "power-off")
            run(SLIPWAY, "fault", DEPLOYMENT, node, "clear")
        entry[2] = now() + AFTER_FAULT
        self.note(f"{node}: repaired of {words}")

    def kill(self):
        if self.random.randrange(4) == 0:
            self.touch("*", now() + 30)
            status, _ = on(CONTROLLER, "pkill", "-KILL", "-x", "slurmctld")
            self.note(f"slurmctld killed: {status}")
            return
        node, name = f"{PARTITION}-{self.random.randrange(FEWER)}", self.random.choice(KILLED_ON_NODES)
        self.touch(node, now() + AFTER_FAULT)
        status, _ = on(node, "pkill", "-KILL", "-x", name)
        self.note(f"{node}: {name} killed: {status}")

    def deploy(self):
        nodes, interrupted = self.random.choice([NODES, FEWER]), self.random.randrange(3) == 0
        for number in [number for number in self.faults if number >= nodes]:
            self.repair(number)
        for number in range(nodes, NODES):
            self.touch(f"{PARTITION}-{number}", now() + 2 * AFTER_FAULT)
        command = [*deploy_of(nodes), "--force"]
        if not interrupted:
            status, output = run(*command)
            self.note(f"deploy of {nodes} nodes: {status} {output.strip()[-300:]}")
            return
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.random.random() * 3)
        child.send_signal(self.random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        child.wait()
        self.note(f"deploy of {nodes} nodes interrupted")

    def adversity(self, seconds):
        end = now() + seconds
        while now() < end:
            for number in [number for number, fault in self.faults.items() if fault[2] < now()]:
                self.repair(number)
            what = self.random.choices(["submit", "fault", "kill", "cancel", "deploy"], [10, 4, 3, 1, 1])[0]
            self.counts[what] += 1
            getattr(self, what)()
            time.sleep(self.random.random() * 4)

    # Peace

    def wait(self, what, condition):
        end, pause = now() + PATIENCE, 0.5
        while not condition():
            if now() > end:
                raise NoPeace(f"waited {PATIENCE} s without success until {what}")
            time.sleep(pause)
            pause = min(10, pause * 1.3)

    def peace(self):
        for number in list(self.faults):
            self.repair(number)
        status, output = run(*deploy_of(NODES), "--timeout", "300", timeout=PATIENCE)
        self.note(f"deploy of {NODES} nodes: {status} {output.strip()[-300:]}")
        begin = now()
        self.wait("no job is in the queue, or nodes have to register", lambda: now() - begin > BEFORE_NODES_REGISTER or self.no_job())
        if not self.no_job():
            on("all", "pkill", "-KILL", "-x", "slurmd")
        self.wait("no job is in the queue", self.no_job)
        self.wait("every node is idle", lambda: on(CONTROLLER, "sinfo", "--noheader", "--format=%D %T") == (0, f"{NODES} idle\n"))
        outcome = self.judge_jobs()
        self.touched = [entry for entry in self.touched if entry[2] is None or entry[2] > now()]
        self.jobs.clear()
        # Epilogs and checks of health that are under way end.
        state = None
        for _ in range(12):
            state = self.state()
            problems = self.compare(state)
            if not problems:
                break
            time.sleep(10)
        if problems:
            raise NoPeace("; ".join(problems))
        if self.first is None and self.counts:  # daemons have run jobs
            self.first = state
        print(f"{time.strftime('%H:%M:%S')} after {now() - begin:.0f} s: {outcome}; " + ", ".join(f"{key} {value}" for key, value in state["shown"].items()),
              flush=True)
        self.done.clear()

    def no_job(self):
        return on(CONTROLLER, "squeue", "--noheader") == (0, "")

    def judge_jobs(self):
        _, text = on("login", "sh", "-c", "cd /home/random && for file in *; do case $file in *.*) ;; *) sed \"s/^/$file /\" $file; esac; done; rm -f /home/random/*")
        began, ended = {}, {}
        for line in text.splitlines():
            words = line.split()
            if len(words) > 3 and words[1] == "begin":
                began[words[0]] = began.get(words[0], []) + words[3:]  # a job that was queued again begins again
            elif len(words) == 3 and words[1] == "end":
                ended[words[0]] = float(words[2])
        counts = collections.Counter()
        for job in self.jobs.values():
            if job.canceled or job.kind == "array":
                continue
            nodes, end = began.get(job.number, []), ended.get(job.number, now())
            hit = any((node == "*" or node in nodes) and since < end + 1 and (until is None or until > job.submitted)
                      for node, since, until in self.touched)
            counts[f"{job.kind} {'touched' if hit else 'untouched'}"] += 1
            if job.number in ended:
                counts[f"{job.kind} {'touched' if hit else 'untouched'}, ended well"] += 1
            elif not hit:
                raise NoPeace(f"job {job.number} ({job.kind}) did not end well, and no fault has touched it: {nodes}")
        return ", ".join(f"{kind}: {counts[f'{kind}, ended well']} of {counts[kind]} ended well"
                         for kind in ("batch untouched", "batch touched", "launch untouched", "launch touched") if counts[kind])

    def state(self):
        """What should not grow."""
        processes = descendants(SUPERVISOR)
        names, memory = collections.Counter(), collections.Counter()
        for pid in processes:
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            name = re.search(r"^Name:\t(.*)$", status, re.M)[1]
            resident = re.search(r"^RssAnon:\s+(\d+)", status, re.M)
            if resident:
                names[name] += 1
                memory[name] += int(resident[1]) / 1024
        _, files = on(CONTROLLER, "sh", "-c", "ls /proc/$(pgrep -o -x slurmctld)/fd | wc -l")
        _, left = on("all", "sh", "-c", "ls -A /tmp /dev/shm")
        left = len(re.findall("of-a-job", left))
        latency = statistics.median(self.latency() for _ in range(LATENCY_PROBES))
        return {"processes": {name: names[name] for name in DAEMONS} | {"all": sum(names.values())}, "memory": memory,
                "files": int(files.strip() or 0), "left": left, "latency": latency,
                "shown": {"processes": sum(names.values()), **{name: f"{memory[name]:.0f} MiB" for name in DAEMONS}, "slurmctld's files": files.strip(),
                          "squeue": f"{latency * 1000:.0f} ms"}}

    def latency(self):
        begin = time.perf_counter()
        on(CONTROLLER, "squeue", "--noheader")
        return time.perf_counter() - begin

    def compare(self, state):
        problems = []
        if state["left"]:
            problems.append(f"jobs left {state['left']} files on nodes")
        if self.first is None:
            return problems
        if state["processes"] != self.first["processes"]:
            problems.append(f"processes: {self.first['processes']} before, {state['processes']} now")
        for name in DAEMONS:
            before, after = self.first["memory"][name], state["memory"][name]
            if after > MEMORY_RATIO * before + MEMORY_ROOM_MIB:
                problems.append(f"{name}: {before:.0f} MiB before, {after:.0f} MiB now")
        if state["files"] > self.first["files"] + FILES_ROOM:
            problems.append(f"open files of slurmctld: {self.first['files']} before, {state['files']} now")
        if state["latency"] > LATENCY_RATIO * self.first["latency"]:
            problems.append(f"squeue: {self.first['latency'] * 1000:.0f} ms before, {state['latency'] * 1000:.0f} ms now")
        return problems

    def failed(self, what):
        print(f"seed {SEED}: {what}\nwhat was done before:", *self.done[-400:], sep="\n  ")
        for command in (["sinfo", "--list-reasons"], ["sinfo", "--Node", "--long"], ["squeue"], ["tail", "-n", "60", "/var/log/slurm/slurmctld.log"]):
            print(*on(CONTROLLER, *command), sep="\n")
        sys.exit(1)


def descendants(root):
    children = collections.defaultdict(list)
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                children[int(entry.joinpath("stat").read_text().rsplit(")", 1)[1].split()[1])].append(int(entry.name))
            except OSError:
                pass
    found, todo = [], [root]
    while todo:
        found.append(pid := todo.pop())
        todo += children[pid]
    return found


def main():
    life = Life()
    on("login", "sh", "-c", "mkdir -m 777 -p /home/random")
    end = now() + SECONDS
    try:
        life.peace()
        while now() < end:
            life.adversity(min(ROUND_SECONDS, SECONDS / 2))
            life.peace()
    except NoPeace as problem:
        life.failed(problem)
    print(f"seed {SEED}, {SECONDS} s with {NODES} nodes: " + ", ".join(f"{count} times {what}" for what, count in sorted(life.counts.items())))


main()
