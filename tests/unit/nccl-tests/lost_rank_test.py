#!/usr/bin/env python3
"""One rank is killed or stopped at a random moment of a run: the run ends, names it, and leaves no process behind.

A seed decides backend, ranks, victim, signal and moment. The moments cover a whole run: start, sweep and end.

Usage: lost_rank_test.py PROGRAM FOLDER_OF_STAND_INS [SEEDS [FIRST_SEED [AT_ONCE]]]
"""
import concurrent.futures
import os
import pathlib
import random
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # keep the source tree clean
import own_port

PROGRAM, FAKES = sys.argv[1], pathlib.Path(sys.argv[2])
LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")
PATIENCE = 240  # seconds: more than the time limits of a start and of a silent rank, on a busy machine
START = 15  # seconds in which the ranks have to find each other
RESULT = re.compile("^# Verdict: ", re.M)


class Plan:
    """What a seed decides."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.seed = seed
        self.backend = chance.choice(["tcp", "nccl"])
        self.ranks = chance.choice([2, 3, 4, 8, 12])
        self.by_one_process = chance.random() < 0.3
        self.victim = chance.randrange(self.ranks)
        self.signal = chance.choice([signal.SIGKILL, signal.SIGSTOP])
        self.moment = chance.uniform(0, 1)  # of the time that an undisturbed run takes
        self.collective = chance.choice(["all_reduce", "all_gather", "alltoall"])

    def __str__(self):
        way = "-g" if self.by_one_process else "processes"
        return (f"seed {self.seed}: {self.collective} on {self.backend}, {self.ranks} ranks by {way}, {self.signal.name} of rank "
                f"{self.victim} at {self.moment:.2f}")


class Run:
    """The processes of a run, each in the session of this run, with their output in files."""

    def __init__(self, plan, folder):
        self.plan, self.folder, self.processes = plan, pathlib.Path(folder), []
        clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
        clean["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        clean.update(SLIPWAY_START_TIMEOUT=str(START), LD_LIBRARY_PATH=f"{FAKES}/cuda:{FAKES}/nccl/22809",
                     FAKE_CUDA_DEVICES=str(plan.ranks), SLIPWAY_TEST_MARK=secrets.token_hex(8))
        self.mark = clean["SLIPWAY_TEST_MARK"]
        command = [PROGRAM, plan.collective, "--backend", plan.backend, "-b", "1K", "-e", "64K", "-f", "4", "-n", "3", "-N", "3"]
        if plan.by_one_process:
            self.start([*command, "-g", str(plan.ranks)], clean)
            return
        clean.update(SLIPWAY_SIZE=str(plan.ranks), SLIPWAY_RUN_KEY=secrets.token_hex(32),
                     SLIPWAY_RENDEZVOUS=f"127.0.0.1:{own_port.own_port()}")
        for rank in range(plan.ranks):
            self.start(command, {**clean, "SLIPWAY_RANK": str(rank)})

    def start(self, command, environment):
        number = len(self.processes)
        with (self.folder / f"{number}.out").open("w") as out, (self.folder / f"{number}.err").open("w") as err:
            self.processes.append(subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err))

    def victim(self):
        """Its process id, or nothing if there is none (any more)."""
        if not self.plan.by_one_process:
            process = self.processes[self.plan.victim]
            return process.pid if process.poll() is None else None
        parent = self.processes[0]
        while parent.poll() is None:
            try:
                children = pathlib.Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
            except OSError:
                return None
            # They are in the order of their start, and those that ended are missing.
            if len(children) == self.plan.ranks:
                return int(children[self.plan.victim])
            if self.output(".out") or self.processes[0].poll() is not None:
                return None
            time.sleep(0.001)
        return None

    def output(self, kind):
        return "".join(file.read_text() for file in sorted(self.folder.glob("*" + kind)))

    def others(self):
        return [one for rank, one in enumerate(self.processes) if self.plan.by_one_process or rank != self.plan.victim]

    def wait(self, processes):
        """Whether all have ended in time."""
        end = time.monotonic() + PATIENCE
        while any(one.poll() is None for one in processes):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def left(self):
        """Processes of this run that are still there."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                pass
        return found

    def end(self):
        for pid in self.left():
            os.kill(pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()


def names(text, rank):
    """Whether a message says that this rank is the cause."""
    if re.search(rf"\brank {rank} on \S+ (has gone|has been silent|does not answer|did not connect)", text):
        return True
    if re.search(rf"\brank {rank} \(process \d+\) was stopped, and all others have ended", text):
        return True
    if re.search(rf"\brank \d+ cannot connect to rank {rank} on ", text):
        return True
    for ranks in re.findall(r"ranks did not connect to rank 0 on [^:]*: ([0-9,-]+)", text):
        for part in ranks.split(","):
            first, _, last = part.partition("-")
            if int(first) <= rank <= int(last or first):
                return True
    return False


def had_left(text, rank):
    """Whether a message says that this rank had done its work, and was stopped while its process ended."""
    return re.search(rf"\brank {rank} on \S+ has been silent for \d+ s; its last phase was: ending its process", text)


def seconds_undisturbed(plan):
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        run = Run(plan, folder)
        try:
            if not run.wait(run.processes) or any(one.returncode for one in run.processes):
                raise AssertionError(f"undisturbed: {run.output('.err')}")
            return time.monotonic() - begin
        finally:
            run.end()


def faults(plan, run):
    """What is wrong with a run that lost a rank, and how it ended."""
    pid = run.victim()
    if pid is None:
        return ([] if run.wait(run.processes) else ["hangs undisturbed"]), "was over"
    try:
        os.kill(pid, plan.signal)
    except ProcessLookupError:
        return ([] if run.wait(run.processes) else ["hangs undisturbed"]), "was over"
    if not run.wait(run.others()):
        return ["hangs"], "hangs"
    errors = run.output(".err")
    wrong = []
    statuses = [one.returncode for one in run.others()]
    ended_well = not any(statuses)
    if ended_well:
        # It had nothing left to do for the others. That its process does not end is noticed, unless it is the last one.
        alone = not plan.by_one_process and plan.victim != 0
        if alone and plan.signal == signal.SIGSTOP and run.processes[plan.victim].poll() is None:
            wrong.append("was not noticed")
        if not RESULT.search(run.output(".out")):
            wrong.append("ends with status 0 and without a result")
    else:
        if not names(errors, plan.victim):
            wrong.append("does not name the rank")
    for other in range(plan.ranks):
        if other != plan.victim and names(errors, other):
            wrong.append(f"blames rank {other}")
    if re.search("terminate|Sanitizer", errors):
        wrong.append("crashes")
    if plan.signal == signal.SIGSTOP and not plan.by_one_process:
        os.kill(pid, signal.SIGCONT)
        if not run.wait(run.processes):
            wrong.append("the stopped rank never ends")
        elif not ended_well and run.processes[plan.victim].returncode == 0 and not had_left(errors, plan.victim):
            wrong.append("the stopped rank ends with status 0")
    if run.left():
        wrong.append("leaves processes")
    return wrong, "had its result" if ended_well else "ended"


def attempt(seed):
    plan = Plan(seed)
    with tempfile.TemporaryDirectory(prefix="lost-rank.") as folder:
        pause = plan.moment * seconds_undisturbed(plan)
        run = Run(plan, folder)
        try:
            time.sleep(pause)
            begin = time.monotonic()
            wrong, how = faults(plan, run)
            took = time.monotonic() - begin
            text = f"{plan}: {how} after {took:.1f} s"
            if wrong:
                text += "\n  " + "; ".join(wrong) + "\n" + run.output(".err") + run.output(".out")[-600:]
            return how, wrong, text
        finally:
            run.end()


def main():
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    at_once = int(sys.argv[5]) if len(sys.argv) > 5 else seeds
    failed, ways = 0, {}
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for how, wrong, text in pool.map(attempt, range(first, first + seeds)):
            failed += bool(wrong)
            ways[how] = ways.get(how, 0) + 1
            print(("not ok " if wrong else "ok ") + text, flush=True)
    print(", ".join(f"{count} {how}" for how, count in sorted(ways.items())))
    print(f"{seeds - failed} passed, {failed} failed")
    sys.exit(1 if failed or ways.get("ended", 0) == 0 else 0)


main()
