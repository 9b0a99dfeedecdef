#!/usr/bin/env python3
"""Command lines of public scripts do here what they do with nccl-tests, or a message says what to write.

Usage: command_lines_test.py PROGRAM FOLDER_OF_STAND_INS
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import command_lines
import own_folder  # noqa: F401

PROGRAM, FAKES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")
PERF = re.compile(r"(.*/)?(nccl_)?(\w+_perf(_mpi)?)$")
LONG_NAMES = {"g": "ngpus", "t": "nthreads", "n": "iters", "w": "warmup_iters", "c": "check"}
# GPU memory that holds only small sizes: the largest size of each line is reduced, as in nccl-tests.
SMALL_MEMORY = (1 << 30) + (1 << 12)


class Line:
    """A command line: variables, what starts the ranks, the program's name, and its arguments."""

    def __init__(self, text):
        words = shlex.split(text)
        at = next(i for i, word in enumerate(words) if PERF.match(word))
        self.name, self.args = PERF.match(words[at]).group(3), words[at + 1:]
        self.launcher = [word for word in words[:at] if not re.match(r"[A-Z_]+=", word)]
        given = [word for word in words[:at] if re.match(r"[A-Z_]+=", word)]
        self.variables = dict(word.split("=", 1) for word in given)

    def shape(self):
        """The program, and its options as the line spells them, without values."""
        options = [re.match(r"--\w+=?|-\w(?=(.?))", word) for word in self.args if word.startswith("-")]
        return self.name, tuple(sorted(found.group() + (":" if found.group(1) else "") for found in options))

    def option(self, letter, otherwise):
        found = re.search(rf"(?:^| )(?:-{letter} ?|--{LONG_NAMES[letter]}[ =])(\d+)(?: |$)", " ".join(self.args))
        return found.group(1) if found else otherwise


def environment_of(line):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    clean["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    settings = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/22809", "FAKE_CUDA_DEVICES": "8",
                "FAKE_CUDA_MEMORY": str(SMALL_MEMORY), "OMPI_MCA_mpi_yield_when_idle": "1"}
    return {**clean, **settings, **line.variables}


def run(line, folder, launcher=()):
    program = pathlib.Path(folder) / str(id(line)) / line.name
    program.parent.mkdir()
    program.symlink_to(PROGRAM)
    return subprocess.run([*launcher, str(program), *line.args], capture_output=True, text=True, timeout=300,
                          check=False, cwd=folder, env=environment_of(line))


class CommandLines(unittest.TestCase):
    def check_done(self, line, done, ranks):
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        collective = re.sub("_mpi$", "", line.name)
        self.assertIn(f"# Collective test starting: {collective}\n", done.stdout)
        self.assertEqual(len(re.findall(r"^#  Rank", done.stdout, re.M)), ranks)
        self.assertIn("# Out of bounds values : 0 OK\n", done.stdout)
        for letter, field in (("n", "iters"), ("w", "warmup iters"), ("c", "validation"), ("g", "nGpus")):
            if value := line.option(letter, None):
                self.assertRegex(done.stdout, rf"# nThread .*\b{field}:? {value}\b")
        self.assertTrue(any(re.match(r" +\d+ +\d+ ", row) for row in done.stdout.splitlines()), done.stdout)

    def test_enough_lines_from_enough_places(self):
        self.assertGreaterEqual(len(command_lines.LINES), 165)
        shapes = {Line(text).shape() for _, text, *_ in command_lines.LINES}
        self.assertGreaterEqual(len(shapes), 100)
        self.assertGreaterEqual(len({source.split("/")[0] for source, *_ in command_lines.LINES}), 15)

    def test_each_line(self):
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            lines = [(source, Line(text), *message) for source, text, *message in command_lines.LINES]
            for one, done in zip(lines, pool.map(lambda one: run(one[1], folder), lines)):
                source, line, *message = one
                with self.subTest(source=source, args=line.args):
                    if message:
                        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                        self.assertIn(message[0], done.stderr)
                        self.assertEqual(done.stdout, "")
                        continue
                    ranks = int(line.option("g", 1)) * int(line.option("t", 1))
                    self.check_done(line, done, ranks)

    def test_launched_by_open_mpi(self):
        for text, ranks in (("mpirun -np 4 -bind-to none -map-by slot ./build/hypercube_perf -b 8 -e 1M -f 2 -g 1", 4),
                            ("mpirun -np 2 ./build/all_reduce_perf -b 8 -e 128M -f 2 -g 2", 4),
                            ("mpirun -n 2 -N 2 -x NCCL_DEBUG=WARN all_gather_perf_mpi -b 8 -e 16G -f 2 -g 1 -c 1", 2)):
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                line = Line(text)
                launcher = ["mpirun", "--oversubscribe", "--allow-run-as-root", *line.launcher[1:]]
                self.check_done(line, run(line, folder, [word for word in launcher if word != "-x"]), ranks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
