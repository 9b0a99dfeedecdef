#!/usr/bin/env python3
"""Tests the library with NCCL's own loader: nccl_loader.py LIBRARY. `nccl_loader.py --find` succeeds if this machine has an NCCL
with this interface.

A container image names a missing interface; NCCL finds one only with the job's value. NCCL runs in a separate process, because it
reads its variables only once.
"""
import ctypes, os, subprocess, sys

LIBRARIES = ["libnccl.so.2", "/usr/local/cuda/lib/libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"]
IMAGE = {"NCCL_SOCKET_IFNAME": "image0", "NCCL_DEBUG": "INFO"}
JOB = {"SLIPWAY_NCCL_ENV": '{"NCCL_SOCKET_IFNAME":"=lo"}', "NCCL_ENV_PLUGIN": os.path.abspath(sys.argv[1])}


def load():
    for path in LIBRARIES:
        try:
            nccl = ctypes.CDLL(path)
        except OSError:
            continue
        version = ctypes.c_int()
        nccl.ncclGetVersion(ctypes.byref(version))
        return nccl if version.value >= 22800 else None
    return None


def child(environment):
    done = subprocess.run([sys.executable, __file__, sys.argv[1], "child"], capture_output=True, text=True, timeout=60,
                          env={"PATH": os.environ["PATH"], **environment})
    return done.returncode, done.stdout + done.stderr


def main():
    nccl = load()
    if sys.argv[1:] == ["--find"]:
        sys.exit(nccl is None)
    if sys.argv[2:] == ["child"]:
        sys.exit(nccl.ncclGetUniqueId(ctypes.create_string_buffer(128)))
    assert nccl is not None, "no NCCL of 2.28 or newer here"
    code, said = child(IMAGE)
    assert code != 0 and "no socket interface found" in said, said
    code, said = child({**IMAGE, **JOB})
    assert code == 0 and "NCCL_SOCKET_IFNAME set by environment to =lo" in said and "Using slipway (v1)" in said, said
    code, said = child({**IMAGE, **JOB, "SLIPWAY_NCCL_USER_NCCL_SOCKET_IFNAME": "=nosuch0"})
    assert code != 0 and "NCCL_SOCKET_IFNAME set by environment to =nosuch0" in said, said


main()
