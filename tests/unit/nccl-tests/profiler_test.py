#!/usr/bin/env python3
"""A program under the profiler plugin, as --nccl-watch has it loaded, on stand-ins of NVIDIA's libraries.

Usage: profiler_test.py PROGRAM FOLDER_OF_STAND_INS PLUGIN
"""
import json
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # keep the source tree clean
import own_port

PROGRAM, FAKES, PLUGIN = sys.argv[1], pathlib.Path(sys.argv[2]), os.path.abspath(sys.argv[3])
LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")


class Ranks:
    """Two ranks in two processes, each with a GPU."""

    def __init__(self, folder, nccl, *arguments):
        self.folder = pathlib.Path(folder) / "dumps"
        common = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
        common |= {
            "LD_LIBRARY_PATH": f"{FAKES / 'cuda'}:{FAKES / 'nccl' / nccl}", "FAKE_CUDA_DEVICES": "2", "SLIPWAY_SIZE": "2",
            "SLIPWAY_RENDEZVOUS": f"127.0.0.1:{own_port.own_port()}", "SLIPWAY_RUN_KEY": secrets.token_hex(32),
            "NCCL_PROFILER_PLUGIN": PLUGIN, "NCCL_INSPECTOR_DUMP_DIR": str(self.folder), "NCCL_DEBUG": "INFO",
            "NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS": "100000"}
        self.started = [
            subprocess.Popen([PROGRAM, *arguments], env={**common, "SLIPWAY_RANK": str(rank), "NCCL_TESTS_DEVICE": str(rank)},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in range(2)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for rank in self.started:
            rank.kill()
            rank.communicate()

    def end(self):
        said = [rank.communicate(timeout=60)[0] for rank in self.started]
        return [rank.returncode for rank in self.started], said

    def lines(self, kind, rank):
        all_lines = []
        for path in self.folder.glob(f"*-pid{self.started[rank].pid}.log"):
            # The last one may be half-written.
            all_lines += [json.loads(line) for line in path.read_text().split("\n")[:-1]]
        return [line for line in all_lines if kind in line]


class Profiler(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_every_collective_of_every_rank_is_recorded(self):
        for nccl, ranks, source in (("22809", 2, "kernel_gpu"), ("22707", 2, "kernel_gpu"), ("22605", 0, "kernel_cpu")):
            with self.subTest(nccl=nccl), Ranks(pathlib.Path(self.folder) / nccl, nccl, "all_reduce", "-b", "8", "-e", "64", "-n", "5", "-c", "0") as run:
                codes, said = run.end()
                self.assertEqual(codes, [0, 0], said)
                self.assertIn("collectives are recorded in" if ranks else "Successfully loaded external profiler plugin", said[0])
                ours, others = run.lines("coll_perf", 0), run.lines("coll_perf", 1)
                numbers = [line["coll_perf"]["coll_sn"] for line in ours if line["coll_perf"]["coll"] == "AllReduce"]
                self.assertGreater(len(numbers), 5)
                self.assertEqual(sorted(numbers), list(range(len(numbers))))
                self.assertEqual(sorted(numbers), sorted(line["coll_perf"]["coll_sn"] for line in others if line["coll_perf"]["coll"] == "AllReduce"))
                self.assertEqual({line["header"]["id"] for line in ours}, {line["header"]["id"] for line in others})
                self.assertEqual({(line["header"]["rank"], line["header"]["n_ranks"]) for line in others}, {(1, ranks)})
                self.assertEqual({line["coll_perf"]["coll_timing_source"] for line in ours}, {source})

    def test_the_collective_that_a_stopped_rank_does_not_enter_is_pending(self):
        with Ranks(self.folder, "22809", "all_reduce", "-b", "8", "-e", "8", "-n", "20000", "-N", "0", "-T", "120", "-c", "0") as run:
            self.wait_for(lambda: run.lines("coll_perf", 0))
            run.started[1].send_signal(signal.SIGSTOP)
            self.wait_for(lambda: run.lines("coll_pending", 0))
            waiting = run.lines("coll_pending", 0)[0]["coll_pending"]
            run.started[1].send_signal(signal.SIGCONT)
            self.wait_for(lambda: any(line["coll_perf"]["coll_sn"] >= waiting["coll_sn"] for line in run.lines("coll_perf", 0)))

    def test_an_older_nccl_says_that_it_cannot_use_it(self):
        with Ranks(self.folder, "22403", "all_reduce", "-b", "8", "-e", "8", "-n", "2", "-c", "0") as run:
            codes, said = run.end()
            self.assertEqual(codes, [0, 0], said)
            self.assertIn(f"External profiler plugin {PLUGIN} is unsupported", said[0])
            self.assertFalse(run.folder.exists())

    def wait_for(self, there):
        for _ in range(600):
            if there():
                return
            time.sleep(0.1)
        self.fail("it did not come")


unittest.main(argv=sys.argv[:1])
