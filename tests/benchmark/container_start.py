#!/usr/bin/env python3
"""How long a container of a large image takes to its first instruction, beside unpacking the image, which is what `enroot create`
does before a first start.

    container_start.py DRIVER KEEPER [--gib 2] [--runs 10]

The image has headers and Python's modules of this machine, and files of random bytes up to its size. Before a cold start, the image is dropped from the page
cache; squashfuse_ll is timed with what it reads until then. A line for each, with the median and the range.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../unit/spank-plugins"))
from container_test_image import make_root  # noqa: E402


def tree_size(folder):
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)


def make_large_image(folder, gib):
    root, image = make_root(folder + "/root"), folder + "/image.sqsh"
    for part in ["include", "lib/python3"]:
        if os.path.isdir("/usr/" + part):
            shutil.copytree("/usr/" + part, f"{root}/copied/{part}", symlinks=True, ignore_dangling_symlinks=True)
    block = 64 << 20
    for number in range(max(0, int(gib * (1 << 30)) - tree_size(root)) // block):
        with open(f"{root}/work/{number}", "wb") as file:
            file.write(os.urandom(block))
    subprocess.run(["mksquashfs", root, image, "-all-root", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "1"], check=True)
    return image


def drop_from_cache(path):
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def start(driver, keeper, image, *options):
    began = time.monotonic()
    subprocess.run([driver, keeper, f"image={image}", *options, "--", "true"], check=True)
    return time.monotonic() - began


def read_at_start(driver, keeper, image):
    """Bytes that squashfuse_ll has read when the first task ran."""
    with subprocess.Popen([driver, keeper, f"image={image}", "loiter", "--", "true"], stdout=subprocess.PIPE, text=True) as process:
        try:
            holder = process.stdout.readline().split()[1]
            with open(f"/proc/{holder}/task/{holder}/children", encoding="ascii") as file:
                server = file.read().split()[0]
            with open(f"/proc/{server}/io", encoding="ascii") as file:
                return int(dict(line.split(": ") for line in file)["rchar"])
        finally:
            process.kill()


def tell(what, seconds):
    print(f"{what:34} {statistics.median(seconds) * 1000:8.0f} ms   ({min(seconds) * 1000:.0f} to {max(seconds) * 1000:.0f}, {len(seconds)} runs)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("driver")
    parser.add_argument("keeper")
    parser.add_argument("--gib", type=float, default=2)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    run = (options.driver, options.keeper)
    with tempfile.TemporaryDirectory(prefix="slipway-benchmark.") as folder:
        image = make_large_image(folder, options.gib)
        print(f"image: {tree_size(folder + '/root') / 2**30:.2f} GiB of files, {os.stat(image).st_size / 2**30:.2f} GiB as squashfs", flush=True)
        shutil.rmtree(folder + "/root")
        cold = []
        for _ in range(options.runs):
            drop_from_cache(image)
            cold.append(start(*run, image))
        tell("cold start to the end of `true`", cold)
        tell("warm start", [start(*run, image) for _ in range(options.runs)])
        tell("warm start, 8 tasks", [start(*run, image, "tasks=8") for _ in range(options.runs)])
        print(f"read by squashfuse_ll at the start  {read_at_start(*run, image) / 1024:8.0f} KiB")
        drop_from_cache(image)
        began = time.monotonic()
        subprocess.run(["unsquashfs", "-no-progress", "-quiet", "-dest", folder + "/unpacked", image], check=True, stdout=subprocess.DEVNULL)
        tell("unpacking it, as enroot create", [time.monotonic() - began])


if __name__ == "__main__":
    main()
