#!/usr/bin/env python3
"""Each call to NVIDIA's libraries fails once: the run ends, says why, and nothing hangs or crashes.

The calls are those that the stand-ins count in a run without a failure. Each fails in its first call on all ranks, and in its
last one on rank 1.

Usage: every_call_test.py PROGRAM FOLDER_OF_STAND_INS [TEST...]
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, FAKES = sys.argv[1], pathlib.Path(sys.argv[2])
LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")
PATIENCE = 60  # seconds: far more than any of these runs takes on a busy machine
SMALL = ("-b", "1K", "-e", "1K", "-n", "2", "-w", "1")
# Runs that make every call: command line, version of NCCL, environment.
RUNS = [
    (("all_reduce", *SMALL, "-m", "2", "-M", "1", "-c", "2"), "22809", {}),
    (("all_reduce", *SMALL, "-G", "2", "-R", "2"), "22809", {}),
    (("all_reduce", *SMALL, "-I", "1"), "22809", {}),
    (("all_reduce", *SMALL, "-R", "1", "-o", "mulsum", "-d", "f8e4m3"), "22809", {}),
    (("alltoall", *SMALL), "22809", {}),
    (("sendrecv", *SMALL), "22809", {}),
    (("all_gather", *SMALL), "22809", {"NCCL_TESTS_SPLIT": "MOD 2"}),
    (("hypercube", *SMALL), "22809", {}),
    (("scatter", *SMALL), "22809", {}),
    (("gather", *SMALL), "22809", {}),
    (("broadcast", *SMALL), "22809", {}),
    (("reduce", *SMALL), "22809", {}),
    (("reduce_scatter", *SMALL), "22809", {}),
    (("all_reduce", *SMALL), "21805", {}),
]
# The result does not need these: they give something back, or only describe.
HARMLESS = {"cudaFree", "cudaStreamDestroy", "cudaGraphDestroy", "cudaGraphExecDestroy", "cuModuleUnload", "cuDeviceGetName",
            "cuEventDestroy_v2",
            "ncclMemFree", "ncclCommDestroy", "ncclCommDeregister", "ncclCommWindowDeregister", "ncclRedOpDestroy"}
# In these, a rank has no GPU yet by which the stand-in would know it.
BEFORE_A_GPU = {"cudaGetDeviceCount", "cudaSetDevice"}


def run(arguments, version, environment, counters=None):
    """A run that hangs has no status."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    clean["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    settings = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/{version}", "FAKE_CUDA_DEVICES": "2"}
    if counters:
        settings["FAKE_CUDA_COUNTERS"] = counters
    words = [PROGRAM, arguments[0], "-g", "2", *arguments[1:]]
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False,
                              env={**clean, **settings, **environment})
    except subprocess.TimeoutExpired as hang:
        return subprocess.CompletedProcess(words, None, "", (hang.stderr or b"").decode() + f"hangs for {PATIENCE} s")


def calls_of(arguments, version, environment):
    """How often each function is called by the rank that calls it most."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(arguments, version, environment, f"{folder}/counts")
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        most = {}
        for file in pathlib.Path(folder).iterdir():
            for name, value in re.findall(r"^((?:cuda|cu|nccl)[A-Z]\w*) (\d+)$", file.read_text(), re.M):
                most[name] = max(most.get(name, 0), int(value))
        return most


def failures():
    """Every call once, in the first of the runs that make it."""
    met = set()
    for one in RUNS:
        for name, count in sorted(calls_of(*one).items()):
            if name in met:
                continue
            met.add(name)
            variable, status = ("FAKE_NCCL_FAIL", 3) if name.startswith("nccl") else ("FAKE_CUDA_FAIL", 719)
            yield one, name, {variable: f"{name}#1={status}"}
            where = "" if name in BEFORE_A_GPU else "@1"
            yield one, name, {variable: f"{name}{where}#{count}={status}"}


class EveryCall(unittest.TestCase):
    def test_each_call_fails_once(self):
        tried = list(failures())
        names = {name for _, name, _ in tried}
        self.assertGreaterEqual(len(names), 50, sorted(names))
        reached = set()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ended = pool.map(lambda one: run(*one[0][:2], {**one[0][2], **one[2]}), tried)
            for (_, name, order), done in zip(tried, ended):
                with self.subTest(order=order):
                    self.assertNotRegex(done.stderr, "terminate|signal|Sanitizer")
                    if done.returncode == 0:
                        self.assertIn("# Out of bounds values : 0 OK\n", done.stdout)
                        continue
                    reached.add(name)
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertRegex(done.stderr.splitlines()[0], r"^\w+_perf: ")
                    self.assertRegex(done.stderr, rf"\b{name}\b|driver|GPU")
        self.assertEqual(names - reached - HARMLESS, set())
        self.assertEqual(HARMLESS & reached, set())


class Hangs(unittest.TestCase):
    """Calls that never return before there is a communicator."""

    def test_a_rank_whose_driver_does_not_answer_is_named(self):
        done = run(("all_reduce", *SMALL, "-T", "3"), "22809", {"FAKE_CUDA_FAIL": "cudaDeviceGetPCIBusId@1=hang"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("nothing has moved for ", done.stderr)
        self.assertRegex(done.stderr, r"rank 1 on \S+: taking a GPU, ")
        self.assertRegex(done.stderr, r"rank 0 on \S+: waiting for the GPUs of all ranks, ")

    def test_a_communicator_whose_end_hangs_is_named(self):
        done = run(("all_reduce", *SMALL, "-T", "3"), "22809", {"FAKE_NCCL_FAIL": "ncclCommDestroy@1=hang"})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"nothing has moved for \d+ s\n(.*\n)*  rank 1 on \S+: disconnecting, ")

    def test_nccl_that_waits_for_a_rank_is_named(self):
        done = run(("all_reduce", *SMALL, "-T", "3"), "22809", {"FAKE_NCCL_FAIL": "ncclCommInitRankConfig@1=hang"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("joining the communicator of NCCL", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
