#!/usr/bin/env python3
"""Compares the losses of a training that lost nodes and grew again with those of an undisturbed one: compare_growth.py UNDISTURBED GROWN LEDGER

Checks that no loss differs by more than a millionth, that the steps after growth ran on as many nodes as the first ones, and that growth repeated
only what the program did while it was being ended. Prints what was seen.
"""
import json, sys


def losses_of(path):
    """All losses of each step, in the order in which they were written."""
    losses = {}
    for line in open(path):
        step, loss = line.split()
        losses.setdefault(int(step), []).append(float.fromhex(loss))
    return losses


undisturbed, grown = losses_of(sys.argv[1]), losses_of(sys.argv[2])
entries = [json.loads(line) for line in open(sys.argv[3])]
starts = {each["attempt"]: len(each["nodes"]) for each in entries if each["event"] == "start"}
sizes = [starts[attempt] for attempt in sorted(starts)]
growth = [each for each in entries if each["event"] == "grow"][-1]
restore = [each for each in entries if each["event"] == "restore"][-1]
last = [each for each in entries if each["event"] == "progress" and each["attempt"] == growth["attempt"]][-1]
if undisturbed.keys() != grown.keys():
    sys.exit(f"other steps: {undisturbed.keys() ^ grown.keys()}")
worst = max(abs(loss - undisturbed[step][0]) for step, all in grown.items() for loss in all)
again = last["step"] - restore["step"]
print(f"nodes {sizes}, grown at step {growth['step']}, resumed at {restore['step']}, {again} steps done again, losses differ by at most {worst:.1e}")
if worst > 1e-6 or sizes[-1] != sizes[0] or min(sizes) >= sizes[0] or restore["attempt"] != max(starts):
    sys.exit("not as it should be")
if restore["what"] != "memory" or restore["step"] < growth["step"] or again > 5:
    sys.exit("growth has cost work")
