#!/usr/bin/env python3
"""bandwidth_scan on real ranks of this machine, each of which is a node: ranks that die or stop leave the scan, and pairs
of GPUs (stand-ins of NVIDIA's libraries) that fail take nobody along.

Usage: scan_ranks_test.py PROGRAM SCHEMA VALIDATOR FAKES [TEST...]

The tests run at the same time: what takes long is the wait for ranks that do not answer.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # keep the source tree clean
import own_port
import side_by_side

PROGRAM, SCHEMA, VALIDATOR, FAKES = sys.argv[1:5]
RANKS = 5
# Nodes that are lost. Beside other tests one may be slow, too, so that says nothing here.
LOST = re.compile(r"(?m)^node: (\S+): rank ")
OPTIONS = ["-n", "1", "--precision", "0", "--samples", "3", "--detect", "90"]
QUICK = ["-b", "64K", "--rounds", "3"]
# A signal to a rank arrives before the last of these rounds ends, even if this machine is busy.
LONG_ROUNDS = 8
LONG = ["-b", "4M", "--rounds", str(LONG_ROUNDS)]


class Scan:
    def __init__(self, *options, backend="tcp", rounds=QUICK, of_rank_4=None, of_all=None, on_each=1):
        """`of_rank_4` is for all ranks of node n-4; each node has `on_each`."""
        place = f"127.0.0.1:{own_port.own_port()}"
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
        self.ranks = [subprocess.Popen([PROGRAM, *OPTIONS, *rounds, "--backend", backend, *options], text=True, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE,
                                       env={**clean, "SLIPWAY_RANK": str(rank), "SLIPWAY_SIZE": str(RANKS * on_each),
                                            "SLURMD_NODENAME": f"n-{rank // on_each}", "SLIPWAY_RENDEZVOUS": place,
                                            **(of_all or {}), **((of_rank_4 or {}) if rank // on_each == 4 else {})})
                      for rank in range(RANKS * on_each)]

    def wait_for_round(self, number):
        """What rank 0 has printed up to the beginning of a round."""
        text = ""
        for line in self.ranks[0].stdout:
            text += line
            if line.startswith(f"round {number}: "):
                return text
        raise AssertionError(text + self.ranks[0].stderr.read())

    def finish(self):
        out, err = self.ranks[0].communicate(timeout=120)
        return self.ranks[0].returncode, out, err

    def end(self):
        for rank in self.ranks:
            if rank.poll() is None:
                rank.kill()
            rank.communicate()


class RealRanks(unittest.TestCase):
    def scan_with(self, signal_number, *options):
        """A scan in which rank 4 gets the signal after round 1 has begun: status, output and state."""
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder) / "scan.json"
            scan = Scan("--state", str(state), *options, rounds=LONG)
            try:
                scan.wait_for_round(1)
                scan.ranks[4].send_signal(signal_number)
                status, out, err = scan.finish()
            finally:
                scan.end()
            valid = subprocess.run([sys.executable, VALIDATOR, SCHEMA, str(state)], capture_output=True, text=True,
                                   check=False)
            self.assertEqual(valid.returncode, 0, valid.stderr)
            return status, out, err, json.loads(state.read_text())

    def check_lost(self, done, why):
        status, out, err, state = done
        self.assertEqual(status, 1, out + err)
        named = re.search(f"(?m)^node: n-4: {why} in round ([0-9]+)$", out)
        self.assertTrue(named, out)
        why, last = f"{why} in round {named[1]}", int(named[1])
        self.assertLess(last, LONG_ROUNDS)
        self.assertRegex(out, f'(?m)^  scontrol update NodeName=n-4 State=DRAIN Reason="bandwidth scan: {why}"$')
        self.assertEqual(LOST.findall(out), ["n-4"], out)
        self.assertRegex(out, f"(?m)^round {last + 1}: ")
        self.assertEqual([lost["node"] for lost in state["lost"]], ["n-4"])
        later = [pair for pair in state["pairs"] if pair["round"] > last]
        self.assertFalse([pair for pair in later if "n-4" in pair["nodes"]])
        self.assertTrue([pair for pair in later if pair["failure"] is None], later)

    def test_a_rank_that_is_killed_leaves_the_scan_which_goes_on(self):
        self.check_lost(self.scan_with(signal.SIGKILL), "rank 4 died")

    def test_a_rank_that_stops_answering_leaves_the_scan_which_goes_on(self):
        self.check_lost(self.scan_with(signal.SIGSTOP, "--timeout", "8"), "rank 4 did not answer")

    def test_healthy_ranks(self):
        scan = Scan()
        try:
            status, out, err = scan.finish()
            self.assertEqual([rank.wait(timeout=30) for rank in scan.ranks[1:]], [0] * (RANKS - 1))
        finally:
            scan.end()
        self.assertEqual(LOST.findall(out), [], err)
        self.assertIn(f"{RANKS} nodes, ", out)
        self.assertIn("links inside blocks: ", out)


class StandInsOfGpus(unittest.TestCase):
    """Rank 4's operations go wrong in every pair, so its node is found, and the scan of the others goes on."""

    def scan(self, of_rank_4, *options, on_each=1):
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder) / "scan.json"
            libraries = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/22809", "FAKE_CUDA_DEVICES": "4", "FAKE_CUDA_MEMORY": "33554432",
                         "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
            scan = Scan("--state", str(state), *options, backend="nccl", of_all=libraries, of_rank_4=of_rank_4,
                        on_each=on_each)
            try:
                status, out, err = scan.finish()
            finally:
                scan.end()
            valid = subprocess.run([sys.executable, VALIDATOR, SCHEMA, str(state)], capture_output=True, text=True,
                                   check=False)
            self.assertEqual(valid.returncode, 0, valid.stderr + out + err)
            return status, out + err, json.loads(state.read_text())

    def check_found(self, done, failure):
        status, out, state = done
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"(?m)^node: n-4: every pair failed ")
        self.assertEqual(LOST.findall(out), [], out)
        of_4 = [pair for pair in state["pairs"] if "n-4" in pair["nodes"]]
        self.assertTrue(of_4 and all(pair["busbw_gb_per_s"] is None for pair in of_4), of_4)
        self.assertTrue(any(re.search(failure, pair["failure"]) for pair in of_4), of_4)
        self.assertTrue([pair for pair in state["pairs"] if "n-4" not in pair["nodes"] and pair["failure"] is None])

    def test_an_asynchronous_error_fails_the_pair_alone(self):
        self.check_found(self.scan({"FAKE_NCCL_ERROR": "*:*:6"}, "--timeout", "8"), "")

    def test_a_hanging_pair_is_given_up(self):
        self.check_found(self.scan({"FAKE_NCCL_HANG": "*:*"}, "--timeout", "8"), "no result within 8 s")

    def test_a_call_that_fails(self):
        self.check_found(self.scan({"FAKE_NCCL_REFUSE": "*:*:1"}, "--timeout", "8"), "")

    def test_slow_gpus_are_named_and_their_node_examined(self):
        """Two ranks a node, so that the GPUs of a node are measured together, too."""
        for _ in range(2):  # beside other tests, a scan may be too noisy
            status, out, state = self.scan({"FAKE_NCCL_MICROSECONDS": "*:*:400000", "FAKE_CUDA_CORRUPT": "cuMemcpyDtoD_v2@1"},
                                           "--level", "node", on_each=2)
            if status != 3:
                break
        if status == 3:  # then it says nothing about any node
            self.assertRegex(out, "(?m)^(too noisy|inconclusive): ")
            self.assertNotRegex(out, "(?m)^node: |scontrol")
            return
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"(?m)^node: n-4: \d+ % below the median")
        self.assertRegex(out, r"(?m)^  n-4: GPUs together all_reduce at \S+ GB/s, \S+ or more on healthy nodes")
        # Copies of its second GPU arrive with a wrong bit; those of the first, and of other nodes, do not.
        self.assertRegex(out, r"(?m)^  n-4: GPU 1: copies with wrong data: within its memory$")
        wrong = [(level["node"], level["part"]) for level in state["levels"] if (level["why"] or "").startswith("copies with wrong")]
        self.assertEqual(wrong, [("n-4", "GPU 1")])
        copies = [level for level in state["levels"] if level["does"] == "sends to the host"]
        self.assertEqual(len(copies), 12)  # four GPUs of three nodes
        self.assertTrue(all(level["gb_per_s"] for level in copies), copies)
        self.assertIn("n-4", [one["node"] for one in state["explanations"]])
        parts = {level["part"] for level in state["levels"] if level["node"] == "n-4"}
        self.assertLessEqual({"loopback", "host memory", "GPUs together"}, parts)
        together = [level for level in state["levels"] if level["part"] == "GPUs together"]
        self.assertGreaterEqual(len(together), 3)  # two healthy nodes to compare with
        self.assertTrue(all(level["gb_per_s"] for level in together), together)


class Burn(unittest.TestCase):
    """The GPUs of all nodes compute, whatever the pairs of nodes are measured with."""

    def burn(self, of_rank_4, *options, devices="2"):
        """Status, output, and what the state says of the burn."""
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder) / "scan.json"
            libraries = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nvml", "FAKE_CUDA_DEVICES": devices,
                         "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
            scan = Scan("--state", str(state), "--burn", "0.1", *options, of_all=libraries, of_rank_4=of_rank_4)
            try:
                status, out, err = scan.finish()
            finally:
                scan.end()
            valid = subprocess.run([sys.executable, VALIDATOR, SCHEMA, str(state)], capture_output=True, text=True, check=False)
            self.assertEqual(valid.returncode, 0, valid.stderr + out + err)
            return status, out + err, json.loads(state.read_text())["burn"]

    def test_a_gpu_that_computes_wrong_is_named_with_its_node(self):
        status, out, burn = self.burn({"FAKE_CUDA_CORRUPT": "burn@1"})
        self.assertEqual(status, 1, out)
        wrong = r"GPU 1 \(0000:05:00\.0\) computed wrong results in (\d+) of \1 repetitions"
        self.assertRegex(out, f"(?m)^node: n-4: .*{wrong}$")
        self.assertRegex(out, f'(?m)^  scontrol update NodeName=n-4 State=DRAIN Reason="bandwidth scan: .*{wrong}"$')
        self.assertIn(f"GPU burn: {2 * RANKS} GPUs of {RANKS} nodes computed for 0.1 s\n", out)
        self.assertEqual([node["node"] for node in burn["nodes"]], [f"n-{rank}" for rank in range(RANKS)])
        wrong = [(node["node"], gpu["index"]) for node in burn["nodes"] for gpu in node["gpus"] if gpu["wrong_repetitions"]]
        self.assertEqual(wrong, [("n-4", 1)])

    def test_what_fails_under_load_is_named(self):
        status, out, burn = self.burn({"FAKE_CUDA_FAIL": "cuCtxSynchronize@0=719", "FAKE_NVML": "1:throttled"})
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"(?m)^node: n-4: .*GPU 0 \(0000:04:00\.0\) failed: cuCtxSynchronize: CUDA error 719 in repetition 1; "
                              r"GPU 1 \(0000:05:00\.0\) is throttled: too hot \(hardware\), 345 MHz, 92 °C$")
        self.assertEqual([gpu["celsius"] for node in burn["nodes"][:4] for gpu in node["gpus"]], [41] * 8)

    def test_nodes_without_gpus_are_not_asked(self):
        _, out, burn = self.burn({}, devices="0")
        self.assertIn("GPU burn: 0 GPUs of 0 nodes computed for 0.1 s\n", out)
        self.assertRegex(out, r"(?m)^  n-4: not asked: GPUs \(CUDA finds none\)$")
        self.assertNotRegex(out, "(?m)^node: .*GPU")
        self.assertEqual([node["gpus"] for node in burn["nodes"]], [[]] * RANKS)

    def test_where_it_cannot_be_it_is_refused(self):
        for options, says in [(["--backend", "mpi", "--burn", "1"], "--burn needs ranks of their own on real nodes: --backend tcp or nccl"),
                              (["--backend", "sim", "--world", "w", "--burn", "1"], "--burn needs ranks of their own"),
                              (["--backend", "tcp", "--burn", "-1"], "--burn is -1, it must be from 0 to 3600 seconds"),
                              (["--backend", "tcp", "--burn", "nan"], "--burn is nan, it must be")]:
            done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)


class Levels(unittest.TestCase):
    def test_unless_a_node_is_named_none_is_examined(self):
        scan = Scan("--level", "node")
        try:
            status, out, err = scan.finish()
        finally:
            scan.end()
        # Beside other tests, a node may be slow in truth. Then it is explained.
        named = re.findall(r"(?m)^node: (\S+): ", out)
        for node in named:
            self.assertRegex(out, f"(?m)^  {node}: ")
        if not named:
            self.assertIn("levels of nodes: no node is slow, so none was examined", out, err)
            self.assertNotEqual(status, 1)

    def simulate(self, fault):
        """Status and output of a scan of 12 made-up nodes."""
        with tempfile.TemporaryDirectory() as folder:
            world, state = pathlib.Path(folder) / "world.yaml", pathlib.Path(folder) / "scan.json"
            world.write_text(f"nodes: 12\ngb_per_s: 25\nnoise: 0.01\nlatency_us: 1\n{fault}\n")
            done = subprocess.run([PROGRAM, "--backend", "sim", "--world", str(world), "--level", "node", "--state", str(state)],
                                  capture_output=True, text=True, check=False)
            valid = subprocess.run([sys.executable, VALIDATOR, SCHEMA, str(state)], capture_output=True, text=True, check=False)
            self.assertEqual(valid.returncode, 0, valid.stderr + done.stderr)
            return done.returncode, done.stdout, json.loads(state.read_text())

    def test_a_fault_in_one_direction_is_named_with_it(self):
        status, out, state = self.simulate("slow_senders: {node-3: 0.5, node-7: 0.7}")
        self.assertEqual(status, 1, out)
        self.assertEqual(re.findall(r"(?m)^node: (\S+): ", out), ["node-3", "node-7"])
        for node, least in ("node-3", "12"), ("node-7", "17"):
            self.assertRegex(out, rf"(?m)^  {node}: network sends {least}\.?\d* GB/s, 2[45]\.?\d* or more on healthy nodes; "
                                  r"only this direction is slow: it receives 2[45]")
        self.assertEqual(len(re.findall(r"(?m)^  node-\d+: ", out)), 2, out)
        self.assertEqual({level["does"] for level in state["levels"]}, {"sends", "receives"})

    def test_a_fault_in_both_directions_is_named_with_both(self):
        status, out, _ = self.simulate("slow_nodes: {node-3: 0.5}")
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"(?m)^  node-3: network sends 12")
        self.assertRegex(out, r"(?m)^  node-3: network receives 12")
        self.assertNotIn("only this direction", out)

    def test_a_sender_that_does_not_exist(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as world:
            world.write("nodes: 2\ngb_per_s: 1\nslow_senders: {node-2: 0.5}\n")
            world.flush()
            done = subprocess.run([PROGRAM, "--backend", "sim", "--world", world.name], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("there is no node `node-2`", done.stderr)

    def test_ranks_of_mpi_have_no_levels(self):
        done = subprocess.run([PROGRAM, "--backend", "mpi", "--level", "node"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--level node needs ranks that can be asked one by one", done.stderr)


if __name__ == "__main__":
    side_by_side.main(sys.argv[5:])
