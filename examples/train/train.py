#!/usr/bin/env python3
"""Trains a small GPT with data parallelism, and resumes from the newest checkpoint.

    slipway launch -- python3 train.py --checkpoints FOLDER

The ranks find each other through environment variables, as torchrun and `slipway launch` set them. The
step number goes to the file $SLIPWAY_PROGRESS. Uses GPUs over NCCL if there are any, else CPUs over gloo.
"""

import argparse
import contextlib
import os
import sys
from pathlib import Path

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

import checkpoint
import complete
import memory
from data import share_of_batch
from model import Gpt

NO_RESTART = 93  # tells the launcher that another attempt would fail too


def arguments():
    parser = argparse.ArgumentParser(description="train a small GPT on synthetic data")
    parser.add_argument("--checkpoints", required=True, help="a folder that all nodes share")
    parser.add_argument("--every", type=int, default=20, help="steps between checkpoints")
    parser.add_argument("--memory-every", type=int, default=1,
                        help="steps between checkpoints in memory, under slipway launch --fast-checkpoints")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=16, help="sequences per step, over all ranks")
    parser.add_argument("--context", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--vocabulary", type=int, default=64)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=3e-3, help="learning rate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--double", action="store_true",
                        help="calculate with 64 bits, to compare runs on different numbers of ranks")
    parser.add_argument("--losses", help="a file to which rank 0 appends the loss of each step")
    return parser.parse_args()


def report(step, saved):
    """Reports the current step to the launcher, and the last one on disk, which any number of ranks can load."""
    with contextlib.suppress(KeyError, OSError):  # no launcher, or /tmp is full: keep training
        Path(os.environ["SLIPWAY_PROGRESS"]).write_text(f"{step} {saved}\n")


def device_of_rank():
    if not torch.cuda.is_available():
        torch.set_num_threads(1)
        return torch.device("cpu")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    return torch.device("cuda", torch.cuda.current_device())


def train_step(model, optimizer, options, step, device):
    """One step on this rank's share of the batch. Returns the loss of the whole batch."""
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    share = share_of_batch(step, rank, ranks, options.batch, options.context + 1, options.vocabulary,
                           options.seed).to(device)
    # DDP averages over ranks, so weight each share by its size.
    loss = model(share) * (len(share) * ranks / options.batch)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    mean = loss.detach().clone()
    distributed.all_reduce(mean)
    return mean.item() / ranks


def train(options):
    device = device_of_rank()
    if device.type == "cpu":
        os.environ.setdefault("USE_LIBUV", "0")  # Debian builds PyTorch without libuv, which is the default
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    if options.double:
        torch.set_default_dtype(torch.float64)
    torch.manual_seed(options.seed)
    network = Gpt(options.vocabulary, options.context, options.width, options.heads, options.layers).to(device)
    # With this option, buckets of gradients never change. Otherwise they change after the first step of a
    # process, and with them the order of sums: after a restart, losses would differ in their last bits.
    model = DistributedDataParallel(network, find_unused_parameters=True)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate)

    first, state = checkpoint.load(options.checkpoints)
    saved = first
    in_memory, newer = memory.load()
    if in_memory > first:
        first, state = in_memory, newer
    if state is not None:
        network.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    report(first, saved)
    if rank == 0 and "SLIPWAY_WORLD_CHANGED" in os.environ:
        # Each rank gets another share of the same sequences, so the losses do not change.
        print(f"{ranks} ranks instead of {os.environ['SLIPWAY_WORLD_CHANGED']}, still {options.batch} sequences per step")
    if rank == 0:
        print(f"{ranks} ranks on {device.type}, from step {first} to {options.steps}", flush=True)

    for step in range(first, options.steps):
        loss = train_step(model, optimizer, options, step, device)
        done = step + 1
        if rank == 0 and options.losses:
            with open(options.losses, "a") as file:
                file.write(f"{done} {loss.hex()}\n")
        if rank == 0 and done % options.every == 0:
            safe = complete.newest()
            print(f"step {done}: loss {loss:.4f}" + (f", step {safe} is in other nodes' memory" if safe else ""), flush=True)
        state = {"model": network.state_dict(), "optimizer": optimizer.state_dict()}
        if done % options.memory_every == 0:
            memory.save(done, state)
        if done % options.every == 0 or done == options.steps:
            checkpoint.save(options.checkpoints, done, state)
            saved = done
        report(done, saved)
    # Not by Python's own end, which may abort or block while PyTorch's threads still release tensors.
    sys.stdout.flush()
    os._exit(0)


def main():
    options = arguments()
    if options.batch < int(os.environ.get("WORLD_SIZE", 1)):
        sys.exit(f"a batch of {options.batch} is too small for {os.environ['WORLD_SIZE']} ranks")
    if not Path(options.checkpoints).is_dir():
        print(f"the checkpoint folder {options.checkpoints} does not exist", file=sys.stderr)
        sys.exit(NO_RESTART)
    try:
        train(options)
    except OSError as error:
        # The disk is full or not writable. The newest checkpoint is intact; another attempt would fail here too.
        print(f"cannot write to {options.checkpoints}: {error}", file=sys.stderr, flush=True)
        os._exit(NO_RESTART)


if __name__ == "__main__":
    main()
