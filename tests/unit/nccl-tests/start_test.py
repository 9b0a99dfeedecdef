#!/usr/bin/env python3
"""Many real ranks on this machine start, and those that are missing, die or hang are named.

Usage: start_test.py PROGRAM RANKS
"""
import concurrent.futures
import contextlib
import os
import random
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # keep the source tree clean
import own_port

PROGRAM, RANKS = sys.argv[1], int(sys.argv[2])
HOST = socket.gethostname()


def is_connected(pid):
    """Whether a process has a TCP connection."""
    with open(f"/proc/{pid}/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    connected = {f"socket:[{row[9]}]" for row in rows if row[3] == "01"}
    links = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            links.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return bool(links & connected)


class World:
    """Ranks 0 to size-1, without those in `missing`."""

    def __init__(self, size, *options, missing=(), seconds=20, descriptors=None):
        self.port, self.key = own_port.own_port(), secrets.token_hex(32)
        self.size, self.options, self.seconds, self.descriptors = size, options, seconds, descriptors
        self.ranks = {}
        for rank in range(size):
            if rank not in missing:
                self.start(rank)

    def start(self, rank):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMI", "OMPI_"))}
        environment.update(SLIPWAY_RANK=str(rank), SLIPWAY_SIZE=str(self.size), SLIPWAY_RUN_KEY=self.key,
                           SLIPWAY_RENDEZVOUS=f"127.0.0.1:{self.port}", SLIPWAY_START_TIMEOUT=str(self.seconds))
        command = ["prlimit", f"--nofile={self.descriptors}", PROGRAM] if self.descriptors else [PROGRAM]
        self.ranks[rank] = subprocess.Popen(
            [*command, "all_gather", "--backend", "tcp", "-b", "1K", "-e", "1K", "-w", "0", *self.options], env=environment,
            stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.ranks.values():
            process.kill()
            process.wait()
            process.stderr.close()
        self.ranks[0].stdout.close()

    def wait_until_connected(self):
        """Until each rank has a connection, and then a second for what they say on it: they wait for the missing rank."""
        end = time.monotonic() + 60
        while not all(is_connected(process.pid) for process in self.ranks.values()) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1)

    def errors(self, stopped=()):
        """What all ranks but the stopped ones have printed, when they have ended: at once, or soon."""
        return "".join(process.communicate(timeout=90)[1] for rank, process in self.ranks.items() if rank not in stopped)


class Start(unittest.TestCase):
    def test_all_start_with_few_descriptors(self):
        with World(RANKS, "-n", "1", "-c", "1", descriptors=64) as world:
            table, errors = world.ranks[0].communicate(timeout=120)
            self.assertEqual(errors, "")
            self.assertIn("# Out of bounds values : 0 OK", table)
            self.assertEqual({process.wait() for process in world.ranks.values()}, {0})

    def test_a_rank_that_never_comes_is_named_in_time(self):
        with World(20, missing=(3, 11, 12), seconds=12) as world:
            self.assertEqual(world.errors(), "all_gather_perf: 3 of 20 ranks did not connect to rank 0 on "
                             f"{HOST}: 3,11-12; check that their tasks started and that TCP connections reach {HOST}, "
                             "and set SLIPWAY_START_TIMEOUT if they need more than 12 s\n")
            self.assertEqual({process.wait() for process in world.ranks.values()}, {3})

    def test_the_hosts_of_missing_ranks_are_known_from_slurm(self):
        step = {"SLURM_STEP_NUM_TASKS": "6", "SLURM_PROCID": "0", "SLURM_STEP_NODELIST": f"{HOST},node-[08-09]",
                "SLURM_STEP_TASKS_PER_NODE": "2(x3)", "SLURM_JOB_ID": str(os.getpid()), "SLIPWAY_RUN_KEY": secrets.token_hex(32),
                "SLIPWAY_START_TIMEOUT": "2"}
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMI", "OMPI_", "SLIPWAY_"))}
        alone = subprocess.run([PROGRAM, "all_gather", "--backend", "tcp"], env={**clean, **step}, text=True, capture_output=True,
                               check=False, timeout=60)
        self.assertIn(f"5 of 6 ranks did not connect to rank 0 on {HOST}: 1 on {HOST}, 2-3 on node-08, 4-5 on node-09; ", alone.stderr)
        self.assertEqual(alone.returncode, 3)

    def test_a_missing_rank_0_is_named_once(self):
        with World(4, missing=(0,), seconds=2) as world:
            world.ranks[0] = subprocess.Popen(["true"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertRegex(world.errors(), "^all_gather_perf: rank 1 cannot connect to rank 0 on 127.0.0.1: .*\n$")

    def test_a_rank_that_stops_during_the_start_is_named(self):
        with World(12, missing=(5,), seconds=20) as world:
            world.wait_until_connected()
            world.ranks[9].send_signal(signal.SIGSTOP)
            world.start(5)
            self.assertEqual(world.errors(stopped=(9,)), f"all_gather_perf: rank 9 on {HOST} does not answer\n")

    def test_a_rank_that_dies_during_the_start_is_named_at_once(self):
        with World(12, missing=(5,), seconds=600) as world:
            world.wait_until_connected()
            world.ranks[7].kill()
            self.assertEqual(world.errors(),
                             f"all_gather_perf: rank 7 on {HOST} has gone while the ranks connected\n")

    def test_strangers_do_no_harm(self):
        with World(8, "-n", "1", missing=(7,), seconds=40) as world:
            strangers = []
            for _ in range(60):
                with contextlib.suppress(OSError):
                    strangers.append(socket.create_connection(("127.0.0.1", world.port), timeout=2))
                    strangers[-1].send(random.randbytes(random.choice([1, 352, 4000])))
                time.sleep(0.02)
            world.start(7)
            self.assertEqual(world.errors(), "")
            self.assertEqual({process.wait() for process in world.ranks.values()}, {0})
            self.assertGreater(len(strangers), 30)
            for stranger in strangers:
                stranger.close()


class Run(unittest.TestCase):
    """While ranks run, heartbeats go through a tree, in which ranks 1 to 8 have ranks below them."""

    def wait_until_it_runs(self, world):
        for line in world.ranks[0].stdout:
            if re.match(" *[0-9]", line):
                return
        self.fail("it did not start")

    def test_a_rank_between_others_that_dies_is_named(self):
        with World(20, "-n", "1", "-N", "0") as world:
            self.wait_until_it_runs(world)
            world.ranks[1].kill()
            errors = world.errors()
            self.assertRegex(errors, f"rank 1 on {HOST} has gone; its last phase was: ")
            self.assertEqual(errors.count("all_gather_perf"), 1, errors)

    def test_a_rank_below_others_that_dies_is_named(self):
        with World(20, "-n", "1", "-N", "0") as world:
            self.wait_until_it_runs(world)
            world.ranks[17].kill()
            self.assertRegex(world.errors(), f"rank 17 on {HOST} has gone; its last phase was: ")

    def test_a_rank_between_others_that_hangs_is_named_and_not_those_below_it(self):
        with World(20, "-n", "1", "-N", "0", "--timeout", "8") as world:
            self.wait_until_it_runs(world)
            world.ranks[2].send_signal(signal.SIGSTOP)
            errors = world.errors(stopped=(2,))
            silent = re.findall("ranks? ([0-9,-]+) on .* silent", errors)
            self.assertEqual(silent, ["2"], errors)

    def test_a_rank_that_dies_is_named_even_if_a_launcher_ends_the_others_at_once(self):
        with World(20, "-n", "1", "-N", "0") as world:
            self.wait_until_it_runs(world)
            world.ranks[13].kill()
            world.ranks[13].wait()
            for process in world.ranks.values():
                process.terminate()
            self.assertRegex(world.errors(), f"^all_gather_perf: rank 13 on {HOST} has gone; its last phase was: [^\n]*\n$")

    def test_ranks_that_are_all_told_to_end_blame_nobody(self):
        with World(20, "-n", "1", "-N", "0") as world:
            self.wait_until_it_runs(world)
            for process in reversed(world.ranks.values()):
                process.terminate()
            self.assertEqual(world.errors(), "")
            self.assertEqual(world.ranks[0].returncode, -signal.SIGTERM)

    def test_a_rank_that_alone_is_told_to_end_is_named(self):
        with World(20, "-n", "1", "-N", "0") as world:
            self.wait_until_it_runs(world)
            world.ranks[4].terminate()
            self.assertEqual(world.errors(), f"all_gather_perf: rank 4 on {HOST}: was ended by SIGTERM\n")

    def test_a_rank_0_that_dies_is_named_once(self):
        with World(20, "-n", "1", "-N", "0") as world:
            self.wait_until_it_runs(world)
            world.ranks[0].kill()
            self.assertEqual(world.errors(), f"all_gather_perf: rank 0 on {HOST} has gone\n")


def run(case):
    result = unittest.TestResult()
    case.run(result)
    return result


def main():
    """The cases wait for time limits most of the time, so they run at once."""
    cases = [case for suite in (Start, Run) for case in unittest.defaultTestLoader.loadTestsFromTestCase(suite)]
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        results = list(pool.map(run, cases))
    for case, result in zip(cases, results):
        for _, text in result.failures + result.errors:
            print(f"not ok: {case.id()}\n{text}", file=sys.stderr)
    failed = sum(not result.wasSuccessful() for result in results)
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
