#!/usr/bin/env python3
"""NVIDIA's own libcudart and libnccl, on a machine without a GPU: they have every function that we look up, and what fails
without a GPU fails with a message.

Usage: nvidia_libraries_test.py PROGRAM FOLDER_OF_LIBRARIES FOLDER_OF_STAND_INS FOLDER_OF_OUR_SOURCES
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, LIBRARIES, FAKES, SOURCES = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")


def looked_up(source, prefix):
    return set(re.findall(rf"SLIPWAY_FIND(?:_OPTIONAL)?\(library, to, ({prefix}\w+)\)", (SOURCES / source).read_text()))


def run(backend, *folders):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    clean["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return subprocess.run([PROGRAM, "all_reduce", "-b", "1K", "-e", "1K", "--backend", backend], capture_output=True, text=True,
                          timeout=120, check=False, env={**clean, "LD_LIBRARY_PATH": ":".join(map(str, folders))})


class Libraries(unittest.TestCase):
    def test_they_have_every_function(self):
        for file, source, prefix in (("libcudart.so.13", "cuda_library.cc", "cuda"), ("libnccl.so.2", "nccl_library.cc", "nccl")):
            library = ctypes.CDLL(str(LIBRARIES / file))
            names = looked_up(source, prefix)
            self.assertGreater(len(names), 20)
            self.assertEqual([name for name in sorted(names) if not hasattr(library, name)], [], file)

    def test_nccl_says_its_version_without_a_gpu(self):
        version = ctypes.c_int()
        self.assertEqual(ctypes.CDLL(str(LIBRARIES / "libnccl.so.2")).ncclGetVersion(ctypes.byref(version)), 0)
        self.assertGreaterEqual(version.value, 21800)

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has a GPU, on which tests/gpu/run.sh asks more")
    def test_without_a_driver_the_message_says_so(self):
        done = run("nccl", LIBRARIES)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("NVIDIA's driver is not installed: cannot load libcuda.so.1; to measure host memory", done.stderr)
        done = run("auto", LIBRARIES)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("host memory", done.stdout)

    def test_a_driver_that_the_real_runtime_refuses(self):
        """The stand-in of the driver lacks most functions: the real runtime finds that out."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "libcuda.so.1").symlink_to((FAKES / "cuda/libcuda.so.1").resolve())
            done = run("nccl", folder, LIBRARIES)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stderr, r"rank 0: (CUDA finds no GPU: |cudaSetDevice: )\w+")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
