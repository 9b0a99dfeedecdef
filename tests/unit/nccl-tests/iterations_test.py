#!/usr/bin/env python3
"""Times of single iterations (-I, -K) on GPUs of stand-ins: by the GPU's clock, and without waiting between iterations.

Usage: iterations_test.py PROGRAM FOLDER_OF_STAND_INS
"""
import json
import pathlib
import sys
import tempfile
import unittest

from gpu_test import run

SMALL = ("-b", "1K", "-e", "1K", "-w", "0", "-c", "0")
# Of the second rank, the fifth operation: one comes before the timed ones, so it is the fourth of them.
LATE = {"FAKE_NCCL_MICROSECONDS": "1:5:700"}


def columns(done):
    """i_min, i_max, i_p99 and i_cv%, out of place."""
    row, = [line.split() for line in done.out.splitlines() if len(line.split()) == 21 and line[0] != "#"]
    return row[9:13]


class Iterations(unittest.TestCase):
    def ok(self, *args, **settings):
        done = run("all_reduce", *SMALL, "-I", "1", *args, ranks=2, **settings)
        self.assertEqual((done.status, done.err), (0, ""))
        return done

    def test_the_gpus_clock_says_how_long_each_took(self):
        for stream in ("0", "1"):
            done = self.ok("-n", "6", "-y", stream, environment=LATE)
            self.assertIn("# Per-Iteration Report: CUDA event timing; ", done.out)
            self.assertEqual(columns(done)[:3], ["1.00", "701.00", "701.00"])

    def test_operations_of_a_group_are_one_iteration(self):
        self.assertEqual(columns(self.ok("-n", "6", "-m", "4")), ["1.00", "1.00", "1.00", "0.00"])

    def test_nothing_waits_between_iterations(self):
        done = self.ok("-n", "10", "-C", "1", environment={"FAKE_NCCL_MICROSECONDS": "*:*:20000"})
        self.assertEqual(done.counts["cuEventRecord"], 2 * 2 * 11)
        self.assertEqual(columns(done)[0], "20001.0")
        cputime, = [float(line.split()[5]) for line in done.out.splitlines() if len(line.split()) == 21 and line[0] != "#"]
        self.assertLess(cputime, 10000)

    def test_what_is_skipped_counts_in_no_column(self):
        done = self.ok("-n", "6", "-K", "4", environment=LATE)
        self.assertIn("; summary skips first 4 iterations \n", done.out)
        self.assertEqual(columns(done), ["1.00", "1.00", "1.00", "0.00"])

    def test_the_json_has_every_iteration_of_every_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            self.ok("-n", "6", "-K", "1", "-J", f"{folder}/out.json", environment=LATE)
            times = json.loads(pathlib.Path(folder, "out.json").read_text())["results"][0]["out_of_place_per_iter"]
        usual, late = [1.0] * 6, [1.0] * 3 + [701.0] + [1.0] * 2
        self.assertEqual([[round(one, 3) for one in rank] for rank in times["per_process_max_times_us"]], [usual, late])
        self.assertEqual([round(one, 3) for one in times["times_us"]], late)
        self.assertEqual((times["skipped_iterations"], round(times["max_us"], 3)), (1, 701.0))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
