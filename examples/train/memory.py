"""Checkpoints in memory, for `slipway launch --fast-checkpoints`.

Each rank writes a folder `step-120.tmp` into its own folder, and renames it to `step-120`. Slipway copies it to
other nodes, and removes it when all ranks have a newer one. Before a program starts again, the folders of all
ranks have the same step, or none. Needs nothing of Slipway, and does nothing without `--fast-checkpoints`.
"""

import os
import shutil
from pathlib import Path

import torch


def _folder():
    name = os.environ.get("SLIPWAY_CHECKPOINTS")
    return Path(name) if name else None


def load():
    """The step and state in memory; 0 and None if there is none."""
    folder = _folder()
    for path in folder.glob("step-*") if folder else []:
        if path.suffix == "":
            return int(path.name[5:]), torch.load(path / "state.pt", map_location="cpu")
    return 0, None


def save(step, state):
    """Keeps the state of this rank; call it on all ranks at the same step."""
    folder = _folder()
    if folder is None:
        return
    partial = folder / f"step-{step}.tmp"
    try:
        partial.mkdir()
        torch.save(state, partial / "state.pt")
        partial.rename(folder / f"step-{step}")
    except OSError as error:  # no room at the moment: training goes on, and the next one may fit
        print(f"no checkpoint in memory at step {step}: {error}", flush=True)
        shutil.rmtree(partial, ignore_errors=True)
