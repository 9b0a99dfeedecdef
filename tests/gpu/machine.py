"""The machine that tests/gpu/questions.py asks: its GPUs, our programs, and their tables."""
import json
import os
import pathlib
import re
import shutil
import site
import subprocess
import sys
import time

# 802 of cuInit on a machine with NVSwitch: its fabric manager does not run.
CUDA_DEVICES = """
import ctypes
cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
status = cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count))
if status != 0:
    raise SystemExit(f"CUDA error {status}")
print(count.value)
"""
LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")


class NotHere(Exception):
    """The question cannot be asked on this machine."""


class Wrong(Exception):
    """The answer is not what it must be."""


def library_folders(options):
    """Where CUDA's runtime and NCCL may be on a machine on which nobody installed them for this: the toolkit, and wheels of PyTorch."""
    found = [pathlib.Path(folder) for folder in options.libraries]
    found += [pathlib.Path("/usr/local/cuda/lib64"), *sorted(pathlib.Path("/usr/local").glob("cuda-*/lib64"), reverse=True)]
    for place in (*map(pathlib.Path, site.getsitepackages()), pathlib.Path(site.getusersitepackages()), pathlib.Path("/opt")):
        for pattern in ("nvidia/*/lib", "*/lib/python3*/site-packages/nvidia/*/lib"):
            found += sorted(place.glob(pattern))
    return [folder for folder in found if any(next(folder.glob(name), None) for name in ("libnccl.so.2", "libcudart.so.1*"))]


class Machine:
    """The programs, the GPUs, and what is known of them."""

    def __init__(self, options):
        self.options = options
        self.stand_ins = options.stand_ins is not None
        self.deadline = time.monotonic() + 60 * options.minutes
        self.nccl_is_missing = None
        self.nccl_version = ""
        self.hidden = ""  # GPUs that CUDA does not see
        self.kernels_found = []
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
        self.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        if self.stand_ins:
            fakes = pathlib.Path(options.stand_ins)
            self.environment |= {"LD_LIBRARY_PATH": f"{fakes}/cuda:{fakes}/nccl/22809", "FAKE_CUDA_DEVICES": str(options.stand_in_gpus),
                                 "FAKE_CUDA_MEMORY": str((1 << 30) + (16 << 20))}
            self.gpus = ["stand-in"] * options.stand_in_gpus
        else:
            self.gpus = self.real_gpus()
            self.leave_out_hidden_gpus()
            folders = [str(folder) for folder in library_folders(options)]
            self.environment["LD_LIBRARY_PATH"] = ":".join([*filter(None, [os.environ.get("LD_LIBRARY_PATH")]), *folders])
        self.look_for_nccl()

    def look_for_nccl(self):
        """In another process, which has the environment that the programs get."""
        asked = subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libnccl.so.2')"], env=self.environment,
                               capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            self.nccl_is_missing = "no libnccl.so.2 here: name its folder with --libraries (a wheel nvidia-nccl-cu12 has it)"

    def require_nccl(self):
        if self.nccl_is_missing:
            raise NotHere(self.nccl_is_missing)

    def limit(self):
        """Seconds that a program may take now."""
        return max(1, min(self.options.limit, self.deadline - time.monotonic()))

    def why_not_to_start(self):
        """What keeps the programs from running here; empty if nothing does."""
        program = pathlib.Path(self.options.programs) / "bandwidth_perf"
        if not program.exists():
            return f"{program} does not exist: build it (CONTRIBUTING.md), or name the folder of a build with --programs"
        done = subprocess.run([program, "--help"], env=self.environment, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"{program} does not run here: {last_line(done.stderr)}"

    @staticmethod
    def real_gpus():
        tool = shutil.which("nvidia-smi")
        if tool is None:
            return []
        asked = subprocess.run([tool, "--query-gpu=name,driver_version,pci.bus_id", "--format=csv,noheader"],
                               capture_output=True, text=True, check=False)
        return asked.stdout.strip().splitlines() if asked.returncode == 0 else []

    def leave_out_hidden_gpus(self):
        """nvidia-smi also lists those that CUDA_VISIBLE_DEVICES hides, and those that the driver cannot start."""
        asked = subprocess.run([sys.executable, "-c", CUDA_DEVICES], capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            self.hidden = f"CUDA's driver does not start: {last_line(asked.stderr)}"
            return
        seen = int(asked.stdout)
        if seen < len(self.gpus):
            chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
            self.hidden = f"CUDA sees {seen} of these {len(self.gpus)} GPUs" + (f" (CUDA_VISIBLE_DEVICES={chosen})" if chosen else "")
            self.gpus = self.gpus[:seen]

    def perf(self, collective, *args, gpus=None, status=0, **environment):
        """Runs one of our programs; returns its rows as lists of words, and its output."""
        self.require_nccl()
        many = gpus if gpus is not None else len(self.gpus)
        done = subprocess.run([self.program("bandwidth_perf"), collective, "-g", str(many), *args], capture_output=True,
                              text=True, check=False, timeout=self.limit(), env={**self.environment, **environment})
        if done.returncode != status:
            raise Wrong(f"{collective} {' '.join(args)}: status {done.returncode}: {complaint(done.stderr or done.stdout)}")
        self.nccl_version = (re.findall(r"nccl-library=(\d+)", done.stdout) or [self.nccl_version])[0]
        return rows(done.stdout), done.stdout + done.stderr

    def kernel_program(self):
        if not pathlib.Path(self.options.kernels).exists():
            raise NotHere(f"{self.options.kernels} does not exist: name gpu_kernels of a build with --kernels")
        return self.options.kernels

    @property
    def kernels(self):
        """What gpu_kernels printed."""
        if not self.kernels_found:
            raise NotHere("the kernels have not run")
        return self.kernels_found

    def program(self, name):
        found = pathlib.Path(self.options.programs) / name
        if not found.exists():
            raise NotHere(f"{found} does not exist")
        return str(found)

    def size(self, most=1 << 40):
        """Bytes of a buffer, at most `most`."""
        return str(min(self.options.size, most))


def size(text):
    return int(text.rstrip("KMG")) << {"K": 10, "M": 20, "G": 30}.get(text[-1], 0)


def rows(output):
    return [line.split() for line in output.splitlines() if re.match(r" +\d+ +\d+ ", line)]


def last_line(text):
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no output")


def complaint(text):
    """Of the output of a program of ours that failed: its last line that is not indented, as what NCCL and RAS add is."""
    return last_line("\n".join(line for line in text.splitlines() if not line.startswith(" ")) or text)


def require_right(found):
    if not found:
        raise Wrong("the table has no row")
    for row in found:
        if row[8] != "0" or row[12] not in ("0", "N/A"):
            raise Wrong(f"wrong elements: {' '.join(row)}")


def kernel_lines(machine, *args):
    done = subprocess.run([machine.kernel_program(), *(args or [machine.size()])], capture_output=True, text=True, check=False,
                          timeout=machine.limit(), env=machine.environment)
    if done.returncode not in (0, 1):
        raise Wrong(f"status {done.returncode}: {last_line(done.stderr)}")
    return [json.loads(line) for line in done.stdout.splitlines()]
