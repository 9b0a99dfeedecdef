"""Sharded checkpoints, written atomically.

Every rank writes a part of the state, which is the same on all of them. A checkpoint is a folder
`step-00000120`, which gets its name only when all parts are on the disk; if a rank is killed before
that, nobody reads the folder. Any number of ranks can load it.
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
    """The same nested value; where a tensor was, a tensor has its index in `tensors`. So files hold only tensors
    and Python's own types: since PyTorch 2.6, torch.load() refuses others."""
    if torch.is_tensor(value):
        tensors.append(value)
        return torch.tensor(len(tensors) - 1)
    if isinstance(value, dict):
        return {key: _without_tensors(each, tensors) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_without_tensors(each, tensors) for each in value)
    return value


def _with_tensors(value, tensors):
    if torch.is_tensor(value):
        return tensors[value.item()]
    if isinstance(value, dict):
        return {key: _with_tensors(each, tensors) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_with_tensors(each, tensors) for each in value)
    return value


def steps(folder):
    """The steps of the complete checkpoints in a folder, newest first."""
    names = [path.name for path in Path(folder).glob("step-*") if path.suffix == ""]
    return sorted((int(name[5:]) for name in names), reverse=True)


def save(folder, step, state):
    """Saves a checkpoint; call it on all ranks. Raises OSError if this rank's part cannot be written."""
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    final = Path(folder) / f"step-{step:08d}"
    if final.exists():  # by an earlier attempt, which ended right after
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
    distributed.all_gather_object(sums, zlib.crc32(data))  # now all parts are on the disk

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
    """The step and state of the newest complete checkpoint; 0 and None without one."""
    for step in steps(folder):
        try:
            return _read(Path(folder) / f"step-{step:08d}")
        except (OSError, ValueError, KeyError) as error:
            print(f"skipping the checkpoint of step {step}: {error!r}", flush=True)
    return 0, None
