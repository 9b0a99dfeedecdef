#!/usr/bin/env python3
"""The bandwidth programs as users start them: under mpirun, the table read by awk, the report by the schema.

Usage: end_to_end_test.py PROGRAM SCHEMA VALIDATOR RANKS
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # keep the source tree clean
import own_folder  # noqa: F401
import own_port

PROGRAM, SCHEMA, VALIDATOR, RANKS = *sys.argv[1:4], int(sys.argv[4])

# What scripts do with nccl-tests' table: the rows by their number of words, then columns 8 and 12.
AWK = 'NF == 13 && $1 !~ /#/ {print $1, $8, $12, $9, $13} /Avg bus bandwidth/ {print "avg", $6}'

COLLECTIVES = ["all_gather", "all_reduce", "alltoall", "alltoallv", "broadcast", "gather", "hypercube", "reduce",
               "reduce_scatter", "scatter", "sendrecv"]


def run(*args, ranks=RANKS, environment=None, collective="all_gather"):
    command = [PROGRAM, collective, *args]
    if ranks > 1:
        command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), *command]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
    # More ranks than CPUs: a rank that waits must let another run.
    clean["OMPI_MCA_mpi_yield_when_idle"] = "1"
    # Open MPI keeps what it has allocated until the end; the unit tests look for our own leaks.
    clean["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return subprocess.run(command, env={**clean, **(environment or {})}, capture_output=True, text=True,
                          timeout=60, check=False)


def complaints(done):
    return [line for line in done.stderr.splitlines() if line.startswith("all_gather_perf: ")]


def lives(pid):
    """Whether the process runs; process 1 of a container may leave dead ones as zombies."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class EndToEnd(unittest.TestCase):
    def test_ranks_of_one_process_end_quietly_when_nobody_reads_what_they_print(self):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
        with subprocess.Popen([PROGRAM, "all_gather", "--backend", "tcp", "-t", "3", "-b", "8", "-e", "64", "-i", "8", "-N", "0"],
                              env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
            started.stdout.readline()
            started.stdout.close()
            self.assertEqual(started.stderr.read(), b"")
            self.assertEqual(started.wait(60), -signal.SIGPIPE)

    def test_table_and_report(self):
        with tempfile.TemporaryDirectory() as folder:
            report_path = pathlib.Path(folder) / "report.json"
            done = run("-b", "8", "-e", "300K", "-f", "5", "-n", "5", "--report", str(report_path),
                       environment={"NCCL_SOCKET_IFNAME": "lo", "NCCL_TOKEN": "hunter2"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.listdir(folder), ["report.json"])
            text = report_path.read_text()
            valid = subprocess.run([sys.executable, VALIDATOR, SCHEMA, str(report_path)], capture_output=True,
                                   text=True, check=False)
            self.assertEqual(valid.returncode, 0, valid.stderr)
        report = json.loads(text)

        rows = subprocess.run(["awk", AWK], input=done.stdout, capture_output=True, text=True,
                              check=True).stdout.split("\n")[:-1]
        sizes = [8, 40, 200, 1000, 5000, 25000, 125000]
        self.assertEqual([int(row.split()[0]) for row in rows[:-1]],
                         [size // 4 // RANKS // 4 * 16 * RANKS for size in sizes])
        self.assertTrue(all(row.split()[3:] == ["0", "0"] for row in rows[:-1]), rows)
        self.assertAlmostEqual(float(rows[-1].split()[1]), report["average_busbw_gb_per_s"], places=4)
        self.assertGreater(report["average_busbw_gb_per_s"], 0)
        self.assertEqual(len(set(r["pid"] for r in report["ranks"])), RANKS)
        self.assertEqual(report["wrong_elements"], 0)
        self.assertEqual(report["environment"]["NCCL_SOCKET_IFNAME"], "lo")
        self.assertNotIn("hunter2", text)
        self.assertTrue(done.stdout.splitlines()[-1].startswith("# Verdict: not judged ("), done.stdout)
        for result in report["results"][2:]:
            for placement in (result["out_of_place"], result["in_place"]):
                self.assertAlmostEqual(placement["algbw_gb_per_s"],
                                       result["size_bytes"] / 1e3 / placement["time_us"], places=6)

    def test_every_datatype_and_several_checks(self):
        done = run("-b", "1K", "-e", "4K", "-i", "1000", "-n", "2", "-c", "3", "-d", "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# Out of bounds values : 0 OK\n", done.stdout)
        self.assertEqual(sum(len(line.split()) == 13 and line[0] != "#"
                             for line in done.stdout.splitlines()), 12 * 4)

    def test_a_usage_error_is_said_once(self):
        done = run("--itres", "4")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(complaints(done),
                         ["all_gather_perf: unknown option `--itres`; did you mean `--iters`?"])
        self.assertEqual(done.stdout, "")

    def test_too_much_memory_is_said_once(self):
        done = run("-b", "100000G", "-e", "100000G")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(complaints(done)), 1, done.stderr)
        self.assertIn("GiB of memory", complaints(done)[0])

    def test_a_report_that_cannot_be_written_is_said_at_once(self):
        done = run("--report", "/nonexistent/report.json")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(complaints(done), [
            "all_gather_perf: cannot write /nonexistent/report.json: No such file or directory"])
        self.assertEqual(done.stdout, "")

    def test_a_report_onto_a_pipe_is_refused_before_the_measurement(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder) / "pipe"
            os.mkfifo(pipe)
            done = run("--report", str(pipe))
            self.assertTrue(pipe.is_fifo())
            self.assertEqual(os.listdir(folder), ["pipe"])
        self.assertEqual(done.returncode, 3)
        self.assertEqual(complaints(done), [f"all_gather_perf: cannot write {pipe}: not a regular file"])
        self.assertEqual(done.stdout, "")

    def test_a_task_that_knows_of_no_other_is_refused(self):
        for backend, advice in (("mpi", "srun --mpi=pmix"), ("tcp", "use `srun`")):
            done = run("--backend", backend, ranks=1, environment={"SLURM_NTASKS": "4", "SLURM_PROCID": "0"})
            self.assertEqual(done.returncode, 3)
            self.assertIn(advice, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_rank_that_cannot_be_says_so_itself(self):
        settings = {"SLIPWAY_RANK": "5", "SLIPWAY_SIZE": "2", "SLIPWAY_RENDEZVOUS": "127.0.0.1:5000"}
        done = subprocess.run([PROGRAM, "all_reduce", "--backend", "tcp"], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, **settings})
        self.assertEqual((done.returncode, done.stderr), (3, "all_reduce_perf: this is rank 5, of 2 ranks\n"))

    def test_every_collective_on_mpi_and_on_tcp(self):
        for collective in COLLECTIVES:
            if collective == "hypercube" and RANKS & (RANKS - 1):
                continue
            for backend in ("mpi", "tcp"):
                with self.subTest(collective=collective, backend=backend):
                    done = run("--backend", backend, "-b", "100", "-e", "400K", "-f", "63", "-n", "2", "-r", "all",
                               collective=collective)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("# Out of bounds values : 0 OK\n", done.stdout)

    def test_every_reduction_of_every_type(self):
        for backend in ("mpi", "tcp"):
            done = run("--backend", backend, "-b", "1K", "-e", "4K", "-f", "4", "-n", "1", "-d", "all", "-o", "all",
                       collective="all_reduce")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("# Out of bounds values : 0 OK\n", done.stdout)
            self.assertEqual(sum(len(line.split()) == 13 and line[0] != "#" for line in done.stdout.splitlines()),
                             12 * 5 * 2)

    def test_without_mpi_ranks_meet_by_variables_of_our_own(self):
        place = f"127.0.0.1:{own_port.own_port()}"
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
        ranks = [subprocess.Popen([PROGRAM, "all_reduce", "-b", "1M", "-e", "1M", "-n", "2"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**clean, "SLIPWAY_RANK": str(rank), "SLIPWAY_SIZE": str(RANKS),
                                       "SLIPWAY_RENDEZVOUS": place}) for rank in range(RANKS)]
        done = [rank.communicate(timeout=60) for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0] * RANKS, done)
        self.assertIn("# Out of bounds values : 0 OK\n", done[0][0])
        self.assertEqual([out for out, _ in done[1:]], [""] * (RANKS - 1))

    def killed(self, backend, signal_number):
        """The messages, and who prints them, when a rank dies or hangs in the middle of a run."""
        done = {}
        command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(RANKS), PROGRAM, "all_reduce", "--backend",
                   backend, "-b", "1M", "-e", "1M", "-n", "2", "-w", "0", "-N", "0", "-T", "5"]
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
        clean["OMPI_MCA_mpi_yield_when_idle"] = "1"
        started = subprocess.Popen(command, env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        pids = []
        for line in started.stdout:
            if line.startswith("#  Rank"):
                pids.append(int(re.search(r" Pid +([0-9]+) ", line)[1]))
            if len(pids) == RANKS and line[0] != "#":
                break
        os.kill(pids[-1], signal_number)
        done["out"], done["err"] = started.communicate(timeout=60)
        done["status"] = started.returncode
        deadline = time.monotonic() + 20  # no process may remain
        while any(lives(pid) for pid in pids[:-1]) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse([pid for pid in pids[:-1] if lives(pid)], done)
        if signal_number == signal.SIGSTOP and lives(pids[-1]):
            os.kill(pids[-1], signal.SIGKILL)
        return done

    def test_a_rank_that_hangs_is_named_at_the_time_limit(self):
        done = self.killed("tcp", signal.SIGSTOP)
        self.assertNotEqual(done["status"], 0)
        self.assertIn("nothing has moved for ", done["err"])
        # Its last report may be from before the measurement, on a busy machine even from before there was memory.
        self.assertRegex(done["err"], f"\n  rank {RANKS - 1} on .*: (all_reduce of 1048576 bytes|allocating memory), (warming up, )?operation [0-9]+, silent")

    def test_a_rank_that_dies_is_named_once(self):
        for backend in ("mpi", "tcp"):
            done = self.killed(backend, signal.SIGKILL)
            self.assertNotEqual(done["status"], 0)
            complaints_of_ours = [line for line in done["err"].splitlines() if line.startswith("all_reduce_perf: ")]
            self.assertLessEqual(len(complaints_of_ours), 1, done["err"])  # mpirun may have killed rank 0 before
            for line in complaints_of_ours:
                self.assertRegex(line, f"rank {RANKS - 1} on .* has gone; its last phase was: ")

    def test_a_gpu_that_is_not_there_is_said_once(self):
        done = run("--backend", "nccl", "-b", "1K", "-e", "1K")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(complaints(done)), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_root_that_is_not_there(self):
        done = run("-r", "9", collective="broadcast")
        self.assertEqual(done.returncode, 3)
        self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("broadcast_perf: ")],
                         [f"broadcast_perf: --root is 9, and there are {RANKS} ranks"])

    def test_help_is_printed_once(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("Usage: all_gather_perf [options]"), 1)

    def test_one_rank_alone(self):
        done = run("-b", "1K", "-e", "1K", ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1],
                         "# Verdict: not judged (one rank alone moves no data to another)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
