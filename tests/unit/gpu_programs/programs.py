#!/usr/bin/env python3
"""nvidia-smi and dcgmi on simulated GPUs: programs.py NVIDIA-SMI DCGMI LIBNVIDIA-ML"""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SMI, DCGMI, NVML = map(os.path.abspath, sys.argv[1:4])
DRIVER = "570.1"
GPU = {"uuid": "", "name": "simulated nvidia-h100-mega-80gb", "pci_bus": 4, "lost": False, "ecc_uncorrected": 0,
       "xids": []}


def healthy(count=2):
    gpus = [dict(copy.deepcopy(GPU), uuid=f"GPU-0000000{i}-aaaa-bbbb-cccc-dddddddddddd", pci_bus=4 + i)
            for i in range(count)]
    return {"driver_version": DRIVER, "gpus": gpus}


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.set(healthy())

    def set(self, state):
        with open(os.path.join(self.folder, "new"), "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.rename(file.name, os.path.join(self.folder, "gpus.json"))

    def with_gpu(self, index, **changes):
        state = healthy()
        state["gpus"][index].update(changes)
        self.set(state)

    def run_program(self, program, *words, status=0):
        environment = dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(NVML))
        done = subprocess.run([program, *words], cwd=self.folder, env=environment, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status != 3 else done.stderr

    def smi(self, *words, status=0):
        return self.run_program(SMI, *words, status=status)

    def query(self, fields, *words, form="csv,noheader"):
        return self.smi(f"--query-gpu={fields}", f"--format={form}", *words)

    def dcgmi(self, *words, status=0):
        return self.run_program(DCGMI, *words, status=status)


class Query(Programs):
    def test_a_header_names_units_and_values_have_them(self):
        self.assertEqual(self.query("index,gpu_name,memory.total,clocks.sm,power.draw", form="csv"),
                         "index, name, memory.total [MiB], clocks.current.sm [MHz], power.draw [W]\n"
                         "0, simulated nvidia-h100-mega-80gb, 81920 MiB, 1980 MHz, 70.00 W\n"
                         "1, simulated nvidia-h100-mega-80gb, 81920 MiB, 1980 MHz, 70.00 W\n")

    def test_units_and_header_can_be_left_out(self):
        self.assertEqual(self.query("memory.used, utilization.gpu,temperature.gpu", "-i", "1",
                                    form="csv,noheader,nounits"), "0, 0, 35\n")

    def test_what_the_gpu_does_not_report_is_not_available(self):
        self.assertEqual(self.query("fan.speed,serial,vbios_version,gpu_recovery_action", "-i", "0"),
                         "[N/A], [N/A], [N/A], [N/A]\n")

    def test_an_unknown_field_is_refused_in_nvidias_words(self):
        self.assertEqual(self.smi("--query-gpu=index,cuda_version", "--format=csv", status=2),
                         'Field "cuda_version" is not a valid field to query.\n\n')

    def test_every_listed_field_can_be_queried(self):
        fields = re.findall(r'"(\S+?)"', self.smi("--help-query-gpu"))
        self.assertGreater(len(fields), 60)
        values = self.query(",".join(fields)).splitlines()[0].split(", ")
        self.assertEqual(len(values), len(fields))

    def test_faults_show_up(self):
        self.with_gpu(1, ecc_uncorrected=3, ecc_corrected=7, celsius=91, throttled=True, pcie_width=8,
                      power_limit_watts=500, persistence_off=True, recovery_action=2)
        fields = ("ecc.errors.uncorrected.volatile.total,ecc.errors.corrected.volatile.total,temperature.gpu,"
                  "clocks_throttle_reasons.hw_thermal_slowdown,clocks_event_reasons.active,pcie.link.width.current,"
                  "power.limit,persistence_mode,clocks.sm,gpu_recovery_action")
        self.assertEqual(self.query(fields).splitlines()[1],
                         "3, 7, 91, Active, 0x0000000000000040, 8, 500.00 W, Disabled, 345 MHz, Node Reboot")
        self.assertIn("0, 0, 35, Not Active, 0x0000000000000000, 16, 700.00 W, Enabled, 1980 MHz, [N/A]",
                      self.query(fields))

    def test_remapped_rows(self):
        self.with_gpu(0, remap_failed=True, ecc_uncorrected=1)
        self.assertEqual(self.smi("--query-remapped-rows=gpu_uuid,remapped_rows.pending,remapped_rows.failure",
                                  "--format=csv"),
                         "gpu_uuid, remapped_rows.pending, remapped_rows.failure\n"
                         "GPU-00000000-aaaa-bbbb-cccc-dddddddddddd, 1, 1\n"
                         "GPU-00000001-aaaa-bbbb-cccc-dddddddddddd, 0, 0\n")

    def test_processes(self):
        fields = "--query-compute-apps=gpu_uuid,pid,process_name,used_memory"
        self.assertEqual(self.smi(fields, "--format=csv"), "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n")
        self.with_gpu(1, process=os.getpid())
        row = self.smi(fields, "--format=csv,noheader")
        self.assertTrue(row.startswith(f"GPU-00000001-aaaa-bbbb-cccc-dddddddddddd, {os.getpid()}, "), row)
        self.assertIn("python", row)

    def test_a_gpu_is_chosen_by_number_uuid_or_address(self):
        for one in ("1", "GPU-00000001-aaaa-bbbb-cccc-dddddddddddd", "00000000:05:00.0", "0000:05:00.0", "05:00.0"):
            self.assertEqual(self.query("index", "-i", one), "1\n")
        self.assertEqual(self.query("index", "--id=1,0"), "0\n1\n")
        self.assertEqual(self.smi("-i", "7", status=6), "No devices were found\n")

    def test_a_loop_goes_on(self):
        environment = dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(NVML))
        with subprocess.Popen([SMI, "--query-gpu=temperature.gpu", "--format=csv,noheader", "-i", "0", "-lms", "10"],
                              cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE) as loop:
            self.assertEqual(loop.stdout.readline(), "35\n")
            self.with_gpu(0, celsius=80)
            while loop.stdout.readline() != "80\n":
                self.assertIsNone(loop.poll())
            loop.kill()


class Views(Programs):
    def test_a_list_names_each_gpu(self):
        self.assertEqual(self.smi("-L").splitlines()[1],
                         "GPU 1: simulated nvidia-h100-mega-80gb (UUID: GPU-00000001-aaaa-bbbb-cccc-dddddddddddd)")

    def test_the_table_has_lines_of_one_width(self):
        self.with_gpu(0, process=os.getpid(), ecc_uncorrected=12)
        lines = [line for line in self.smi().splitlines()[1:] if line.strip()]
        self.assertEqual({len(line) for line in lines}, {91}, "\n".join(lines))
        self.assertIn("|   0  simulated nvidia-h100-mega      On |   00000000:04:00.0 Off |                   12 |", lines)
        self.assertIn("| N/A   35C    P0             70W /  700W |       0MiB /  81920MiB |      0%      Default |", lines)
        self.assertIn(str(os.getpid()), "\n".join(lines))

    def test_the_report_has_sections(self):
        self.with_gpu(1, ecc_uncorrected=2, remap_failed=True)
        text = self.smi("-q", "-d", "ECC,ROW_REMAPPER", "-i", "1")
        self.assertIn("Attached GPUs                             : 2\nGPU 00000000:05:00.0\n    ECC Mode\n", text)
        self.assertIn("            DRAM Uncorrectable            : 2\n", text)
        self.assertIn("        Remapping Failure Occurred        : Yes\n", text)
        self.assertNotIn("Product Name", text)
        self.assertIn("    Product Name                          : simulated", self.smi("-q"))
        self.assertIn("-q -d ACCOUNTING is not covered", self.smi("-q", "-d", "ACCOUNTING", status=3))

    def test_the_report_as_xml(self):
        self.with_gpu(1, process=os.getpid(), ecc_uncorrected=4, name="one <& two")
        log = xml.etree.ElementTree.fromstring(self.smi("-q", "-x").split("?>", 1)[1].split("dtd\">", 1)[1])
        self.assertEqual(log.findtext("driver_version"), DRIVER)
        gpu = log.findall("gpu")[1]
        self.assertEqual(gpu.get("id"), "00000000:05:00.0")
        for path, value in (("product_name", "one <& two"), ("pci/pci_gpu_link_info/pcie_gen/max", "5"),
                            ("fb_memory_usage/total", "81920 MiB"), ("ecc_mode/current_ecc", "Enabled"),
                            ("ecc_errors/volatile/dram_uncorrectable", "4"), ("temperature/gpu_temp", "35 C"),
                            ("clocks/sm_clock", "1980 MHz"), ("utilization/gpu_util", "0 %"), ("vbios_version", "N/A"),
                            ("clocks_event_reasons/hw_slowdown", "Not Active"),
                            ("processes/process_info/pid", str(os.getpid()))):
            self.assertEqual(gpu.findtext(path), value, path)

    def test_topology_and_links(self):
        self.with_gpu(1, nvlink_down=4)
        self.assertIn("GPU0\t  X  \tNV17 \t", self.smi("topo", "-m"))
        text = self.smi("nvlink", "-s", "-i", "1")
        self.assertIn("\t Link 3: 26.562 GB/s\n\t Link 4: <inactive>\n", text)
        self.assertIn("topo -p2p is not covered", self.smi("topo", "-p2p", "r", status=3))

    def test_persistence_mode(self):
        if os.geteuid() == 0:
            self.assertEqual(self.smi("-pm", "1", "-i", "0"),
                             "Persistence mode is already Enabled for GPU 00000000:04:00.0.\nAll done.\n")
            self.smi("-pm", "0", status=3)  # a simulated GPU cannot be changed from its node
        else:
            self.assertIn("Insufficient Permissions", self.smi("-pm", "1", status=4))
        self.smi("-pm", "2", status=2)

    def test_a_file(self):
        self.assertEqual(self.smi("-L", "-f", "list"), "")
        with open(os.path.join(self.folder, "list"), encoding="utf-8") as file:
            self.assertIn("GPU 1: ", file.read())

    def test_what_is_not_covered_says_so(self):
        for words in (["-r"], ["-pl", "500"], ["dmon"], ["mig", "-lgi"]):
            self.assertIn(f"nvidia-smi: {words[0]} is not covered", self.smi(*words, status=3))
        self.assertIn("Option --no-such-option is not recognized", self.smi("--no-such-option", status=2))


class Failures(Programs):
    def test_a_lost_gpu(self):
        self.with_gpu(1, lost=True)
        lost = ("Unable to determine the device handle for GPU0000:05:00.0: GPU is lost.  Reboot the system to recover "
                "this GPU\n")
        self.assertEqual(self.smi(status=15), lost)
        self.assertEqual(self.smi("--query-gpu=name", "--format=csv", status=15), lost)
        self.assertTrue(self.smi("-L", status=15).startswith("GPU 0: "))
        self.assertEqual(self.query("index", "-i", "0"), "0\n")

    def test_no_gpus(self):
        self.set({"driver_version": DRIVER, "gpus": []})
        self.assertEqual(self.smi(status=6), "No devices were found\n")

    def test_no_driver(self):
        os.unlink(os.path.join(self.folder, "gpus.json"))
        self.assertIn("couldn't communicate with the NVIDIA driver", self.smi(status=9))

    def test_versions_that_do_not_match(self):
        self.set(dict(healthy(), mismatch=True))
        self.assertEqual(self.smi("-L", status=18), "Failed to initialize NVML: Driver/library version mismatch\n")


class Dcgm(Programs):
    def warnings(self, level, status):
        body = json.loads(self.dcgmi("diag", "-r", str(level), "-j", status=status))
        return {(test["name"], result["entity_id"], warning["error_id"])
                for category in body["DCGM Diagnostic"]["test_categories"] for test in category["tests"]
                for result in test["results"] for warning in result.get("warnings", [])}

    def test_discovery(self):
        text = self.dcgmi("discovery", "-l")
        self.assertIn("2 GPUs found.\n", text)
        self.assertIn("| 1      | Name: simulated nvidia-h100-mega-80gb", text)
        self.assertIn("PCI Bus ID: 00000000:05:00.0", text)

    def test_healthy_gpus_pass_each_level(self):
        names = []
        for level in ("1", "2", "3", "long"):
            body = json.loads(self.dcgmi("diag", "-r", level, "-j"))
            tests = [test for category in body["DCGM Diagnostic"]["test_categories"] for test in category["tests"]]
            self.assertEqual({test["test_summary"]["status"] for test in tests}, {"Pass"})
            names.append([test["name"] for test in tests])
        self.assertEqual(names[:2], [["software"], ["software", "pcie", "memory"]])
        self.assertEqual(names[2], names[3])
        self.assertIn("targeted_power", names[2])

    def test_each_fault_fails_its_test(self):
        for change, level, status, expected in (
                ({"ecc_uncorrected": 5}, 2, 205, {("memory", 1, 4), ("memory", 1, 85)}),
                ({"remap_failed": True}, 2, 205, {("memory", 1, 80)}),
                ({"pages_retired": 3}, 2, 226, {("memory", 1, 7)}),
                ({"nvlink_down": 2}, 2, 205, {("pcie", 1, 14)}),
                ({"pcie_replays": 9}, 2, 226, {("pcie", 1, 3)}),
                ({"pcie_width": 4}, 2, 205, {("pcie", 1, 30)}),
                ({"persistence_off": True}, 1, 226, {("software", 1, 29)}),
                ({"lost": True}, 1, 205, {("software", 1, 19)}),
                ({"xids": [{"number": 1, "xid": 79}]}, 1, 205, {("software", 1, 101)}),
                ({"xids": [{"number": 1, "xid": 95}]}, 1, 205, {("software", 1, 81)}),
                ({"throttled": True}, 1, 0, set()),
        ):
            with self.subTest(change=change):
                self.with_gpu(1, **change)
                self.assertEqual(self.warnings(level, status), expected)

    def test_heat_fails_the_stress_tests(self):
        self.with_gpu(0, throttled=True)
        self.assertEqual({name for name, gpu, error in self.warnings(3, 226)},
                         {"diagnostic", "targeted_stress", "targeted_power"})

    def test_the_table_of_a_diagnostic(self):
        self.with_gpu(1, ecc_uncorrected=5)
        text = self.dcgmi("diag", "-r", "2", status=205)
        self.assertIn("| memory                    | Fail                                           |\n", text)
        self.assertIn("|                           | GPU1: Fail                                     |\n", text)
        self.assertEqual({len(line) for line in text.splitlines()[1:]}, {78})
        self.assertNotIn("Fail", self.dcgmi("diag", "-r", "2", "-i", "0"))

    def test_health(self):
        self.assertEqual(self.dcgmi("health", "-s", "a"), "Health monitor systems set successfully.\n")
        self.assertEqual(json.loads(self.dcgmi("health", "-g", "0", "-c", "-j")),
                         {"body": {"Overall Health": {"value": "Healthy"}}, "header": ["Health Monitor Report"]})
        self.with_gpu(1, nvlink_down=0, throttled=True, xids=[{"number": 4, "xid": 119}])
        text = self.dcgmi("health", "-c")
        for words in ("Overall Health            | Failure", "GPU ID 1", "XID 119", "NVLink system", "Thermal system"):
            self.assertIn(words, text)
        self.with_gpu(1, pcie_replays=2)
        self.assertIn("Overall Health            | Warning", self.dcgmi("health", "--check"))

    def test_links(self):
        self.with_gpu(0, nvlink_down=1)
        self.assertIn("gpuId 0:\n        U D U", self.dcgmi("nvlink", "-s"))

    def test_what_is_not_covered_says_so(self):
        self.assertIn("dcgmi: dmon -e is not covered", self.dcgmi("dmon", "-e", "150", status=3))
        self.assertIn("dcgmi: test --inject is not covered", self.dcgmi("test", "--inject", status=3))
        self.assertIn("dcgmi: diag -r 9 is not covered", self.dcgmi("diag", "-r", "9", status=3))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
