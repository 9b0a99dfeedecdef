#!/usr/bin/env python3
"""bandwidth_scan on real ranks of this machine, each of which is a node: ranks that die or stop leave the scan.

Usage: scan_ranks_test.py PROGRAM SCHEMA VALIDATOR
"""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SCHEMA, VALIDATOR = sys.argv[1:4]
RANKS = 5
# Nodes that are lost. Beside other tests one may be slow, too, so that says nothing here.
LOST = re.compile(r"(?m)^node: (\S+): rank ")
OPTIONS = ["--backend", "tcp", "-b", "64K", "-n", "1", "--precision", "0", "--samples", "3", "--detect", "90", "--rounds", "3"]


def free_port():
    """Below the range that Linux takes ports of connections from: nobody else is given it before rank 0 listens."""
    while True:
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Scan:
    def __init__(self, *options):
        place = f"127.0.0.1:{free_port()}"
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
        self.ranks = [subprocess.Popen([PROGRAM, *OPTIONS, *options], text=True, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE,
                                       env={**clean, "SLIPWAY_RANK": str(rank), "SLIPWAY_SIZE": str(RANKS),
                                            "SLURMD_NODENAME": f"n-{rank}", "SLIPWAY_RENDEZVOUS": place})
                      for rank in range(RANKS)]

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
        """A scan in which rank 4 gets the signal in round 1: status, output and state."""
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder) / "scan.json"
            scan = Scan("--state", str(state), *options)
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
        self.assertRegex(out, f"(?m)^node: n-4: {why}$")
        self.assertRegex(out, f'(?m)^  scontrol update NodeName=n-4 State=DRAIN Reason="bandwidth scan: {why}"$')
        self.assertEqual(LOST.findall(out), ["n-4"], out)
        self.assertRegex(out, "(?m)^round 2: ")
        self.assertEqual([lost["node"] for lost in state["lost"]], ["n-4"])
        later = [pair for pair in state["pairs"] if pair["round"] > 1]
        self.assertFalse([pair for pair in later if "n-4" in pair["nodes"]])
        self.assertTrue([pair for pair in later if pair["failure"] is None], later)

    def test_a_rank_that_is_killed_leaves_the_scan_which_goes_on(self):
        self.check_lost(self.scan_with(signal.SIGKILL), "rank 4 died in round 1")

    def test_a_rank_that_stops_answering_leaves_the_scan_which_goes_on(self):
        self.check_lost(self.scan_with(signal.SIGSTOP, "--timeout", "8"), "rank 4 did not answer in round 1")

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
