#!/usr/bin/env python3
"""The backend nccl as users start it, on stand-ins of libcuda, libcudart and libnccl (tests/fakes).

Usage: gpu_test.py PROGRAM FOLDER_OF_STAND_INS [TEST...]
"""
import json, os, pathlib, re, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
import own_folder  # noqa: F401

PROGRAM, FAKES = sys.argv[1], pathlib.Path(sys.argv[2])
COLLECTIVES = ["all_gather", "all_reduce", "alltoall", "alltoallv", "broadcast", "gather", "hypercube", "reduce",
               "reduce_scatter", "scatter", "sendrecv"]
LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")


class Done:
    """A finished run: status, output, and what the stand-ins counted over all processes."""

    def __init__(self, finished, folder):
        self.status, self.out, self.err = finished.returncode, finished.stdout, finished.stderr
        self.counts = {}
        for file in pathlib.Path(folder).glob("counts.*"):
            for line in file.read_text().splitlines():
                name, value = line.rsplit(" ", 1)
                self.counts[name] = self.counts.get(name, 0) + int(value)

    def rows(self):
        return [line.split() for line in self.out.splitlines() if len(line.split()) == 13 and line[0] != "#"]

    def wrong(self):
        return [(row[8], row[12]) for row in self.rows()]

    def verdict(self):
        return [line for line in self.out.splitlines() if line.startswith("# Verdict: ")][-1]


def run(collective, *args, ranks=4, version="22809", prefix=(), environment=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    clean["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    with tempfile.TemporaryDirectory() as folder:
        settings = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/{version}", "FAKE_CUDA_DEVICES": "16",
                    "FAKE_CUDA_COUNTERS": f"{folder}/counts"}
        many = ["-g", str(ranks)] if ranks > 1 else []
        finished = subprocess.run([*prefix, PROGRAM, collective, *many, *args], capture_output=True, text=True,
                                  timeout=600, check=False, env={**clean, **settings, **(environment or {})})
        return Done(finished, folder)


class Data(unittest.TestCase):
    def test_every_collective_is_right_in_every_version(self):
        for version in ("21805", "22403", "22809"):
            for collective in COLLECTIVES:
                with self.subTest(version=version, collective=collective):
                    done = run(collective, "-b", "1K", "-e", "32K", "-f", "32", "-n", "2", "-r", "all", version=version)
                    self.assertEqual(done.status, 0, done.err)
                    self.assertIn("# Out of bounds values : 0 OK\n", done.out)
                    self.assertIn(f"nccl-library={version}", done.out)

    def test_each_version_has_what_nvidias_has(self):
        """By src/nccl.h.in of NCCL's releases. What is missing is refused with the version that has it."""
        since = {("-R", "1"): 21900, ("-d", "f8e4m3"): 22400, ("-R", "2"): 22700, ("-x", "1"): 22700, ("-x", "2"): 22800}
        refused = {"-R 1": "needs NCCL 2.19", "-d f8e4m3": "cannot do `f8e4m3`", "-R 2": "needs NCCL 2.27",
                   "-x 1": "--cta_policy 1 needs NCCL 2.27", "-x 2": "--cta_policy 2 needs NCCL 2.28"}
        for version in sorted(file.parent.name for file in FAKES.glob("nccl/*/libnccl.so.2")):
            for args, first in since.items():
                with self.subTest(version=version, args=args):
                    done = run("all_reduce", "-b", "1K", "-e", "1K", "-n", "1", "-w", "0", *args, ranks=2, version=version)
                    if int(version) >= first:
                        self.assertEqual((done.status, done.wrong()), (0, [("0", "0")]), done.err)
                        self.assertEqual("nvlinkCentricSched" in done.counts, int(version) >= 22800)
                        self.assertEqual("CTAPolicy" in done.counts, args[0] == "-x")
                    else:
                        self.assertEqual(done.status, 3)
                        self.assertIn(refused[" ".join(args)], done.err)
            with self.subTest(version=version):
                done = run("alltoall", "-b", "1K", "-e", "1K", "-n", "1", ranks=2, version=version)
                self.assertEqual((done.status, done.wrong()[0][0]), (0, "0"), done.err)
                self.assertEqual("ncclAlltoAll" in done.counts, int(version) >= 22800)

    def test_collectives_of_nccl_are_used_where_it_has_them(self):
        for collective, function in (("alltoall", "ncclAlltoAll"), ("gather", "ncclGather"), ("scatter", "ncclScatter")):
            self.assertGreater(run(collective, "-b", "1K", "-e", "1K").counts[function], 0)
            old = run(collective, "-b", "1K", "-e", "1K", version="22403").counts
            self.assertNotIn(function, old)
            self.assertGreater(old["ncclSend"], 0)

    def test_every_collective_with_every_type_and_reduction(self):
        cases = [(collective, "22809", 12) for collective in COLLECTIVES]
        cases += [("all_gather", "21805", 10), ("reduce", "21805", 10), ("alltoall", "22403", 12), ("all_reduce", "22403", 12)]
        for collective, version, types in cases:
            with self.subTest(collective=collective, version=version):
                done = run(collective, "-b", "768", "-e", "768", "-n", "1", "-w", "0", "-d", "all", "-o", "all", ranks=2,
                           version=version)
                self.assertEqual(done.status, 0, done.err)
                self.assertEqual(len(done.rows()), types * (6 if "reduce" in collective else 1))
                self.assertEqual({wrong for wrong, _ in done.wrong()}, {"0"})

    def test_types_that_this_nccl_or_gpu_lacks_are_left_out(self):
        for settings in ({"version": "21805"}, {"environment": {"FAKE_CUDA_CAPABILITY": "80"}}):
            done = run("all_reduce", "-b", "1K", "-e", "1K", "-n", "1", "-d", "all", ranks=2, **settings)
            self.assertEqual(done.status, 0, done.err)
            self.assertEqual(len(done.rows()), 10)
            done = run("all_reduce", "-b", "1K", "-e", "1K", "-d", "f8e4m3", ranks=2, **settings)
            self.assertEqual(done.status, 3)
            self.assertIn("cannot do `f8e4m3`", done.err)
        small = ("all_reduce", "-b", "1K", "-e", "1K", "-n", "1", "-w", "0")  # no products of 8 bits on one rank
        self.assertEqual(len(run(*small, "-d", "all", "-o", "all", ranks=1).rows()), 12 * 6 - 2 * 2)
        done = run(*small, "-d", "f8e5m2", "-o", "mulsum", ranks=1)
        self.assertEqual((done.status, "on 1 rank cannot do `mulsum` of `f8e5m2`" in done.err), (3, True))

    def test_data_is_not_copied_to_the_host(self):
        done = run("all_gather", "-b", "1M", "-e", "1M", "-n", "1", "-c", "2", ranks=2)
        self.assertEqual(done.status, 0, done.err)
        self.assertLess(done.counts["bytes to the host"], 1024)
        self.assertLess(done.counts["bytes to the device"], 1024)
        done = run("all_reduce", "-b", "1M", "-e", "1M", "-n", "1", ranks=2)
        self.assertLess(done.counts["bytes to the host"], 1024)
        self.assertLess(done.counts["bytes to the device"], 1 << 17)  # tables of numbers

    def test_wrong_data_is_counted(self):
        for collective in COLLECTIVES:
            with self.subTest(collective=collective):
                done = run(collective, "-b", "1K", "-e", "1K", "-n", "1", "-w", "0",
                           environment={"FAKE_NCCL_WRONG": "0:*:flip"})
                self.assertEqual(done.status, 1, done.out)
                self.assertIn("arrived wrong", done.verdict())
                # One element of each message; hypercube passes a wrong one on.
                messages = {"alltoallv": "3", "hypercube": "3"}
                self.assertEqual(done.rows()[0][8], messages.get(collective, "1"))

    def test_each_kind_of_harm_is_found(self):
        for kind in ("zeros", "nothing", "late", "rotate"):
            done = run("all_gather", "-b", "4K", "-e", "4K", "-n", "1", environment={"FAKE_NCCL_WRONG": f"2:*:{kind}"})
            self.assertEqual(done.status, 1, (kind, done.out))
            self.assertGreater(int(done.rows()[0][8]), 100, kind)

    def test_a_mean_of_zeros_is_wrong_in_every_type_of_floating_point(self):
        for name in ("half", "float", "double", "bfloat16", "f8e4m3", "f8e5m2"):
            done = run("all_reduce", "-b", "1K", "-e", "1K", "-n", "1", "-d", name, "-o", "avg", ranks=8,
                       environment={"FAKE_NCCL_WRONG": "*:*:zeros"})
            self.assertEqual(done.status, 1, name)
            row = done.rows()[0]
            self.assertEqual(int(row[8]), 8 * int(row[1]), name)


class Traffic(unittest.TestCase):
    """nccl-tests' variables of alltoallv_perf."""

    def test_a_matrix_decides_who_sends_what(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "traffic")
            file.write_text("16 32 48\n0 64 16\n96 0 0\n")
            settings = {"NCCL_TESTS_ALLTOALLV_MATRIX_FILE": str(file), "NCCL_TESTS_ALLTOALLV_MATRIX_SCALE": "1024",
                        "NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY": "1"}
            done = run("alltoallv", "-b", "1M", "-e", "1M", "-n", "1", ranks=3, environment=settings)
            self.assertEqual(done.status, 0, done.err)
            self.assertEqual(done.rows()[0][:2] + done.wrong(), [str((16 + 96) * 1024), "0", ("0", "N/A")])
            self.assertIn("#   rank=2 send_bytes=98304 recv_bytes=65536 ", done.out)
            for args, ranks, message in ((("-b", "1K", "-e", "1M"), 3, "give -b and -e the same value"),
                                         (("-b", "1K", "-e", "1K"), 4, "has 3 rows, and there are 4 ranks")):
                done = run("alltoallv", *args, ranks=ranks, environment=settings)
                self.assertEqual(done.status, 3)
                self.assertIn(message, done.err)

    def test_a_spread_is_a_number(self):
        done = run("alltoallv", "-b", "64K", "-e", "64K", environment={"NCCL_TESTS_ALLTOALLV_SPREAD": "0"})
        self.assertEqual(done.rows()[0][:2], ["65536", "4096"])
        self.assertEqual(done.wrong(), [("0", "N/A")])
        done = run("alltoallv", environment={"NCCL_TESTS_ALLTOALLV_SPREAD": "wide"})
        self.assertEqual(done.status, 3)
        self.assertIn("NCCL_TESTS_ALLTOALLV_SPREAD is `wide`, expected a number from 0 to 1", done.err)

    def test_hypercube_needs_a_power_of_two(self):
        done = run("hypercube", ranks=3)
        self.assertEqual(done.status, 3)
        self.assertIn("hypercube needs 2, 4, 8, … ranks, a power of 2, and there are 3 ranks", done.err)


class Options(unittest.TestCase):
    def ok(self, *args, **settings):
        done = run("all_reduce", "-b", "2K", "-e", "2K", "-n", "3", *args, **settings)
        self.assertEqual(done.status, 0, done.err + done.out)
        self.assertEqual(done.wrong(), [("0", "0")])
        return done

    def test_aggregated_operations_are_grouped(self):
        done = self.ok("-m", "8", ranks=2)
        self.assertEqual(done.counts["grouped operations"], 2 * 2 * 3 * 8)

    def test_cuda_graphs(self):
        done = self.ok("-G", "5", ranks=2)
        self.assertEqual(done.counts["cudaGraphLaunch"], 2 * 2 * (5 + 1))
        self.assertIn(" graph: 5 ", done.out)

    def test_registration(self):
        self.assertEqual(self.ok("-R", "1", ranks=2).counts["ncclCommRegister"], 4)
        self.assertEqual(self.ok("-R", "2", ranks=2).counts["ncclCommWindowRegister"], 4)
        done = run("all_reduce", "-R", "2", version="22403")
        self.assertEqual(done.status, 3)
        self.assertIn("--local_register 2 needs NCCL 2.27; this is NCCL 2.24.3", done.err)

    def test_streams_alignment_and_policy(self):
        self.assertNotIn("cudaStreamCreateWithFlags", self.ok("-y", "1", ranks=2).counts)
        for datatype in ("int8", "half", "double"):
            self.ok("-u", "3", "-d", datatype, ranks=2)
        counts = self.ok("-x", "1", ranks=2).counts
        self.assertEqual(counts["CTAPolicy"], 2 * (1 + 1))
        self.assertEqual(counts["nvlinkCentricSched"], 2)
        self.assertNotIn("nvlinkCentricSched", self.ok(ranks=2, version="22403").counts)

    def test_threads_and_gpus_multiply(self):
        done = self.ok("-t", "2", ranks=3)
        self.assertEqual(len(re.findall(r"^#  Rank", done.out, re.M)), 6)
        self.assertIn("# nThread 2 nGpus 3 ", done.out)

    def test_cpu_time_and_memory(self):
        done = self.ok("-C", "1", "-M", "1", ranks=2)
        self.assertIn("cputime", done.out)
        self.assertRegex(done.out, r"# GPU memory usage     : Initialization .* \| User-Allocated 8\.00 KB ")

    def test_a_size_too_large_is_reduced(self):
        done = run("all_gather", "-b", "1K", "-e", "64G", "-f", "1048576", "-n", "1", ranks=2,
                   environment={"FAKE_CUDA_MEMORY": str((1 << 30) + (1 << 21))})
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("# Reducing maxBytes to ", done.out)

    def test_the_json_of_nccl_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("out.json", "out.json.0"):
                done = self.ok("-J", f"{folder}/out.json", ranks=2)
                self.assertEqual(done.out.splitlines()[0], f"# Writing JSON output to {folder}/{name}")
            self.assertEqual(sorted(os.listdir(folder)), ["out.json", "out.json.0"])
            file = json.loads(pathlib.Path(folder, "out.json").read_text())
        self.assertEqual((file["version"], file["nccl_version"]), (3, 22809))
        self.assertEqual(file["args"], ["all_reduce_perf", "-g", "2", "-b", "2K", "-e", "2K", "-n", "3", "-J", f"{folder}/out.json"])
        self.assertEqual(file["results"][0]["size"], 2048)
        self.assertEqual(len(file["config"]["devices"]), 2)
        self.assertEqual(file["out_of_bounds"], {"count": 0, "okay": "true"})

    def test_variables_of_nccl_tests(self):
        done = run("all_reduce", "-b", "1K", "-e", "1K", ranks=2, environment={"NCCL_TESTS_MIN_BW": "1000"})
        self.assertEqual(done.status, 1)
        self.assertRegex(done.out, r"# Avg bus bandwidth    : \S+ FAILED")
        done = self.ok(ranks=8, environment={"NCCL_TESTS_SPLIT_MASK": "0x3"})
        self.assertEqual(re.findall(r"Group +(\d+)", done.out), ["0", "1", "2", "3"] * 2)
        for text, groups in (("DIV 2", "0011"), ("% 2", "0101"), ("AND 0b10", "0022")):
            done = self.ok(environment={"NCCL_TESTS_SPLIT": text})
            self.assertEqual("".join(re.findall(r"Group +(\d+)", done.out)), groups, text)
        done = run("all_reduce", environment={"NCCL_TESTS_SPLIT": "by 3"})
        self.assertEqual(done.status, 3)
        self.assertIn("NCCL_TESTS_SPLIT is `by 3`", done.err)
        done = run("all_reduce", environment={"NCCL_TESTS_DEVICE": "first"})
        self.assertEqual((done.status, done.out), (3, ""))
        self.assertIn("NCCL_TESTS_DEVICE is `first`, expected the number of a GPU", done.err)
        self.assertIn(" device  9 ", self.ok(ranks=2, environment={"NCCL_TESTS_DEVICE": "8"}).out)


class Failures(unittest.TestCase):
    def test_an_asynchronous_error_ends_the_run_with_nccls_warning(self):
        done = run("all_reduce", "-b", "1K", "-e", "1K", environment={"FAKE_NCCL_ERROR": "2:4:6"})
        self.assertEqual(done.status, 3)
        self.assertIn("rank 2", done.err)
        self.assertIn("remote process exited or there was a network error", done.err)
        self.assertIn("rank 2: NCCL: NET/IB: Got completion from peer with status=12", done.err)

    def test_an_operation_that_hangs_ends_at_the_limit(self):
        done = run("all_reduce", "-b", "1K", "-e", "1K", "-T", "3", environment={"FAKE_NCCL_HANG": "1:4"})
        self.assertEqual(done.status, 3)
        self.assertIn("nothing has moved for ", done.err)

    def test_a_call_that_is_refused(self):
        done = run("all_reduce", "-b", "1K", "-e", "1K", environment={"FAKE_NCCL_REFUSE": "1:3:1"})
        self.assertEqual(done.status, 3)
        self.assertIn("unhandled cuda error", done.err)
        self.assertIn("out of memory", done.err)

    def test_a_driver_that_cannot_start_is_not_taken_for_no_gpu(self):
        done = run("all_reduce", "-b", "1K", "-e", "1K", environment={"FAKE_CUDA_FAIL": "cuInit=802"})
        self.assertEqual(done.status, 3)
        self.assertIn("NVIDIA's driver cannot start: ", done.err)
        self.assertIn("--backend tcp", done.err)
        done = run("all_reduce", "-b", "1K", "-e", "1K", environment={"FAKE_CUDA_FAIL": "cuInit=100"})
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("host memory", done.out)

    def test_host_memory_is_not_measured_in_place_of_gpus_that_slurm_gave(self):
        settings = {"FAKE_CUDA_FAIL": "cuInit=100", "SLURM_JOB_GPUS": "0,1"}
        done = run("all_reduce", "-b", "1K", "-e", "1K", environment=settings)
        self.assertEqual(done.status, 3)
        self.assertIn("Slurm gave this job GPUs (SLURM_JOB_GPUS=0,1), but NVIDIA's driver finds none", done.err)
        self.assertIn("--backend tcp", done.err)
        done = run("all_reduce", "-b", "1K", "-e", "1K", "--backend", "tcp", environment=settings)
        self.assertEqual((done.status, done.err), (0, ""))

    def test_a_driver_too_old_for_the_runtime(self):
        done = run("all_reduce", environment={"FAKE_CUDA_DRIVER_VERSION": "12040"})
        self.assertEqual(done.status, 3)
        self.assertIn("NVIDIA's driver is for CUDA 12.4 and too old for libcudart.so.13", done.err)

    def test_gpus_without_nccl_or_the_runtime_are_not_measured_in_host_memory(self):
        # A machine may have NVIDIA's own libraries, which root can hide from the programs that this test starts.
        hidden = [folder for folder in ("/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu")
                  if any((pathlib.Path(folder) / name).exists() for name in ("libnccl.so.2", "libcudart.so.13", "libcudart.so.12"))]
        prefix = []
        if hidden == ["/usr/local/cuda/lib64"] and os.geteuid() == 0:
            prefix = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$(realpath /usr/local/cuda/lib64)" && exec "$@"', "sh"]
            if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
                self.skipTest("this machine has NCCL, and no namespaces of mounts to hide it")
        elif hidden:
            self.skipTest("this machine has NCCL")
        with tempfile.TemporaryDirectory() as folder:
            for name, says in [("libcudart.so.13", "NCCL is not installed: cannot load libnccl.so.2 (libnccl.so.2: cannot open shared object file"),
                               ("nothing", "CUDA's runtime is not installed: cannot load libcudart.so.13")]:
                libraries = pathlib.Path(folder) / name
                libraries.mkdir()
                for library in {"libcuda.so.1", name} - {"nothing"}:
                    (libraries / library).symlink_to((FAKES / "cuda" / library).resolve())
                for backend in ([], ["--backend", "nccl"]):
                    done = run("all_reduce", "-b", "1K", "-e", "1K", *backend, prefix=prefix, environment={"LD_LIBRARY_PATH": str(libraries)})
                    self.assertEqual(done.status, 3, done.out)
                    self.assertIn(says, done.err)
                    self.assertIn("; install it on every node, or add its folder to LD_LIBRARY_PATH; to measure host memory, say so with "
                                  "--backend tcp", done.err)
                    self.assertNotIn("host memory", done.out)
            done = run("all_reduce", "-b", "1K", "-e", "1K", "--backend", "tcp", prefix=prefix,
                       environment={"LD_LIBRARY_PATH": str(libraries)})
            self.assertEqual(done.status, 0, done.err)

    def test_more_ranks_than_gpus(self):
        done = run("all_reduce", environment={"FAKE_CUDA_DEVICES": "2"})
        self.assertEqual(done.status, 3)
        self.assertIn("there is no GPU for rank 2", done.err)
        prefix = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2"]
        done = run("all_reduce", ranks=1, prefix=prefix, environment={"FAKE_CUDA_DEVICES": "1"})
        self.assertIn("ranks 0 and 1 have the same GPU", done.err)
        # Unless the user asks NCCL for it.
        done = run("all_reduce", "-b", "1K", "-e", "1K", "-n", "1", ranks=1, prefix=prefix,
                   environment={"FAKE_CUDA_DEVICES": "1", "NCCL_MULTI_RANK_GPU_ENABLE": "1"})
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(done.wrong(), [("0", "0")])


class Log(unittest.TestCase):
    PROFILE = {"schema": "slipway/node-profile/1"}

    def test_users_see_the_log_that_they_ask_for(self):
        done = run("all_reduce", "-b", "1K", "-e", "1K", ranks=2, environment={"NCCL_DEBUG": "VERSION"})
        self.assertIn("NCCL version 2.28.9", done.out)
        self.assertNotIn("NCCL INFO", done.out)
        done = run("all_reduce", "-b", "1K", "-e", "1K", ranks=2, environment={"NCCL_DEBUG": "INFO"})
        self.assertIn("NCCL INFO Channel 00/0", done.out)
        done = run("all_reduce", "-b", "1K", "-e", "1K", ranks=2)
        self.assertNotIn("NCCL version", done.out)

    def test_the_transport_is_known_whatever_users_set(self):
        for level in (None, "WARN", "INFO"):
            for file in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    settings = {"FAKE_NCCL_NETWORK": "Socket"}
                    if level:
                        settings["NCCL_DEBUG"] = level
                    if file:
                        settings["NCCL_DEBUG_FILE"] = f"{folder}/%h.%p"
                    run_done = run("all_reduce", "-b", "1K", "-e", "1K", "--report", f"{folder}/r.json", ranks=2,
                                   environment=settings)
                    self.assertEqual(run_done.status, 0, run_done.err)
                    report = json.loads(pathlib.Path(folder, "r.json").read_text())
                self.assertIn("NET/Socket", json.dumps(report), (level, file))


class Launchers(unittest.TestCase):
    def test_mpirun_on_several_hosts(self):
        # Each rank believes that the others are on another host.
        prefix = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2", "sh", "-c",
                  'OMPI_COMM_WORLD_LOCAL_SIZE=1 exec "$@"', "sh"]
        done = run("all_reduce", "-b", "1K", "-e", "1K", ranks=2, prefix=prefix)
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(len(re.findall(r"^#  Rank", done.out, re.M)), 4)

    def test_128_ranks(self):
        for collective in ("all_gather", "alltoallv", "hypercube", "reduce"):
            with self.subTest(collective):
                done = run(collective, "-b", "64K", "-e", "64K", "-n", "1", "-w", "0", ranks=128,
                           environment={"FAKE_CUDA_DEVICES": "128"})
                self.assertEqual(done.status, 0, done.err)
                self.assertIn("# Out of bounds values : 0 OK\n", done.out)

    def test_few_descriptors_are_raised(self):
        prefix = ["sh", "-c", 'ulimit -S -n 40; exec "$@"', "sh"]
        done = run("all_reduce", "-b", "1K", "-e", "1K", "-n", "1", "--backend", "tcp", ranks=48, prefix=prefix)
        self.assertEqual(done.status, 0, done.err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
