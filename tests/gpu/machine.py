"""The machine that tests/gpu/questions.py asks: its GPUs, our programs, and their tables."""
import json
import os
import pathlib
import re
import shutil
import subprocess

LAUNCHERS = ("SLURM_", "PMIX_", "OMPI_", "PMI_", "NCCL_", "SLIPWAY_")


class NotHere(Exception):
    """The question cannot be asked on this machine."""


class Wrong(Exception):
    """The answer is not what it must be."""


class Machine:
    """The programs, the GPUs, and what is known of them."""

    def __init__(self, options):
        self.options = options
        self.stand_ins = options.stand_ins is not None
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
        self.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        if self.stand_ins:
            fakes = pathlib.Path(options.stand_ins)
            self.environment |= {"LD_LIBRARY_PATH": f"{fakes}/cuda:{fakes}/nccl/22809", "FAKE_CUDA_DEVICES": "2",
                                 "FAKE_CUDA_MEMORY": str((1 << 30) + (16 << 20))}
            self.gpus = ["stand-in"] * 2
        else:
            self.gpus = self.real_gpus()

    @staticmethod
    def real_gpus():
        tool = shutil.which("nvidia-smi")
        if tool is None:
            return []
        asked = subprocess.run([tool, "--query-gpu=name,driver_version,pci.bus_id", "--format=csv,noheader"],
                               capture_output=True, text=True, check=False)
        return asked.stdout.strip().splitlines() if asked.returncode == 0 else []

    def perf(self, collective, *args, gpus=None, status=0, **environment):
        """Runs one of our programs; returns its rows as lists of words, and its output."""
        many = gpus if gpus is not None else len(self.gpus)
        done = subprocess.run([self.program("bandwidth_perf"), collective, "-g", str(many), *args], capture_output=True,
                              text=True, check=False, timeout=self.options.limit, env={**self.environment, **environment})
        if done.returncode != status:
            raise Wrong(f"{collective} {' '.join(args)}: status {done.returncode}: {last_line(done.stderr or done.stdout)}")
        return rows(done.stdout), done.stdout + done.stderr

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


def require_right(found):
    if not found:
        raise Wrong("the table has no row")
    for row in found:
        if row[8] != "0" or row[12] not in ("0", "N/A"):
            raise Wrong(f"wrong elements: {' '.join(row)}")


def kernel_lines(machine):
    done = subprocess.run([machine.options.kernels, machine.size()], capture_output=True, text=True, check=False,
                          timeout=machine.options.limit, env=machine.environment)
    if done.returncode == 2:
        raise Wrong(last_line(done.stderr))
    return [json.loads(line) for line in done.stdout.splitlines()]
