"""Sharded checkpoints, written atomically.

Every rank writes a part of the state, which is the same on all of them. A checkpoint is a folder
`step-00000120` that appears under its name when all parts are on the disk; whoever is killed before
leaves one that nobody reads. It can be loaded by another number of ranks.
"""

import io
import json
import os
import shutil
import zlib
from pathlib import Path

import torch
from torch import distributed

KEPT = 2


class _Place:
    """Where a tensor was."""

    def __init__(self, number):
        self.number = number


def _sync_folder(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(path, data):
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _without_tensors(value, tensors):
    """The same nested value with numbers of `tensors` in the places of its tensors."""
    if torch.is_tensor(value):
        tensors.append(value)
        return _Place(len(tensors) - 1)
    if isinstance(value, dict):
        return {key: _without_tensors(each, tensors) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_without_tensors(each, tensors) for each in value)
    return value


def _with_tensors(value, tensors):
    if isinstance(value, _Place):
        return tensors[value.number]
    if isinstance(value, dict):
        return {key: _with_tensors(each, tensors) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_with_tensors(each, tensors) for each in value)
    return value


def steps(folder):
    """The steps of the whole checkpoints in a folder, the newest first."""
    names = [path.name for path in Path(folder).glob("step-*") if path.suffix == ""]
    return sorted((int(name[5:]) for name in names), reverse=True)


def save(folder, step, state):
    """Called by all ranks. Raises OSError when this rank's part cannot be written."""
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    final = Path(folder) / f"step-{step:08d}"
    if final.exists():  # written before, by an attempt that ended right after it
        return
    partial = final.with_suffix(".partial")
    if rank == 0:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
    distributed.barrier()

    tensors = []
    frame = _without_tensors(state, tensors)
    shard = {"tensors": {i: tensors[i] for i in range(rank, len(tensors), ranks)}}
    if rank == 0:
        shard["frame"] = frame
    buffer = io.BytesIO()
    torch.save(shard, buffer)
    data = buffer.getvalue()
    _write(partial / f"shard-{rank}", data)
    sums = [None] * ranks
    distributed.all_gather_object(sums, zlib.crc32(data))  # all are on the disk now

    if rank == 0:
        _write(partial / "manifest.json", json.dumps({"step": step, "crc32": sums}).encode())
        _sync_folder(partial)
        partial.rename(final)
        _sync_folder(folder)
        for old in steps(folder)[KEPT:]:
            shutil.rmtree(Path(folder) / f"step-{old:08d}", ignore_errors=True)


def _read(path):
    manifest = json.loads((path / "manifest.json").read_text())
    frame, tensors = None, {}
    for number, expected in enumerate(manifest["crc32"]):
        data = (path / f"shard-{number}").read_bytes()
        if zlib.crc32(data) != expected:
            raise OSError(f"shard {number} is damaged")
        shard = torch.load(io.BytesIO(data), map_location="cpu")
        tensors.update(shard["tensors"])
        frame = shard.get("frame", frame)
    return manifest["step"], _with_tensors(frame, tensors)


def load(folder):
    """The newest whole checkpoint: its step and its state; 0 and None when there is none."""
    for step in steps(folder):
        try:
            return _read(Path(folder) / f"step-{step:08d}")
        except (OSError, ValueError, KeyError) as error:
            print(f"the checkpoint of step {step} is left out: {error!r}", flush=True)
    return 0, None
