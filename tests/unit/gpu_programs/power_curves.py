#!/usr/bin/env python3
"""Whether the energy counters of simulated GPUs are the integral of their power: power_curves.py LIBNVIDIA-ML

Seeded curves, one for each GPU. Power is sampled as a monitor would, and integrated by trapezoids."""

import ctypes
import heapq
import json
import os
import random
import sys
import tempfile
import time
import unittest

NVML = os.path.abspath(sys.argv[1])
SECONDS, GPUS = 4, 16


def curve(seeded):
    points = [[0, seeded.uniform(60, 700)]]
    for _ in range(seeded.randint(1, 5)):
        points.append([points[-1][0] + seeded.uniform(0.5, 2), seeded.uniform(60, 700)])
    return points


def most_missed(gpu, seen):
    """How many joules trapezoids may miss: a curve has its corners between samples, which a busy machine takes late."""
    watts = [watts for _, watts in gpu.get("power", [])]
    if not watts:
        return 0
    gaps = [b[0] - a[0] for a, b in zip(seen, seen[1:])]
    return sum(heapq.nlargest(len(watts), gaps)) * (max(watts) - min(watts)) / 2


class PowerCurves(unittest.TestCase):
    def test_the_counter_of_each_gpu_is_the_integral_of_its_power(self):
        seeded = random.Random(24)
        gpus = [{"uuid": f"GPU-{i}", "name": "simulated", "pci_bus": 4 + i, "lost": False, "ecc_uncorrected": 0, "xids": [],
                 "power": curve(seeded)} for i in range(GPUS)]
        gpus[0].pop("power")  # an idle GPU
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chdir(folder.name)
        self.addCleanup(os.chdir, "/")
        with open("gpus.json", "w", encoding="utf-8") as file:
            json.dump({"driver_version": "570.1", "gpus": gpus}, file)
        nvml = ctypes.CDLL(NVML)
        self.assertEqual(nvml.nvmlInit_v2(), 0)
        handles = []
        for i in range(GPUS):
            handle = ctypes.c_void_p()
            self.assertEqual(nvml.nvmlDeviceGetHandleByIndex_v2(i, ctypes.byref(handle)), 0)
            handles.append(handle)

        def read(call, kind, handle):
            value = kind()
            before = time.monotonic()
            self.assertEqual(getattr(nvml, call)(handle, ctypes.byref(value)), 0)
            return (before + time.monotonic()) / 2, value.value / 1000

        def energy(handle):
            return read("nvmlDeviceGetTotalEnergyConsumption", ctypes.c_ulonglong, handle)

        def power(handle):
            return read("nvmlDeviceGetPowerUsage", ctypes.c_uint, handle)

        begin = [energy(handle) for handle in handles]
        samples = [[power(handle)] for handle in handles]
        while time.monotonic() - begin[0][0] < SECONDS:
            for handle, seen in zip(handles, samples):
                seen.append(power(handle))
            time.sleep(0.002)
        end = [energy(handle) for handle in handles]
        for gpu, seen, (first, before), (last, after) in zip(gpus, samples, begin, end):
            # Between a reading of the counter and the sample next to it, the power is taken as constant.
            seen = [(first, seen[0][1]), *seen, (last, seen[-1][1])]
            joules = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(seen, seen[1:]))
            self.assertAlmostEqual((after - before) / joules, 1, delta=0.01 + most_missed(gpu, seen) / joules, msg=gpu)
            if "power" in gpu:
                self.assertGreater(max(watts for _, watts in seen) - min(watts for _, watts in seen), 1)
            else:
                self.assertAlmostEqual((after - before) / (last - first), 70, delta=0.7)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
