#!/usr/bin/python3
"""What a test's image has in place of a training program: one all_reduce over all ranks.

It finds its rank and the others as the frameworks do. PyTorch: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, which torchrun
sets, else SLURM_PROCID and SLURM_NTASKS. JAX, if it is started as a module: JAX_COORDINATOR_ADDRESS, else the
coordinator that JAX itself derives from Slurm's variables. Prints one line for each rank; fails if the sum is wrong.
"""

import functools
import os
import re
import socket
import sys

import torch
import torch.distributed as dist


def first_host(nodelist):
    """As JAX does: `node-[3,5-7],other` is node-3."""
    head = re.match(r"([^,\[]+)(?:\[([^\]]+)\])?", nodelist)
    return head.group(1) + re.split("[,-]", head.group(2))[0] if head.group(2) else head.group(1)


def jax_place():
    address = os.environ.get("JAX_COORDINATOR_ADDRESS")
    if not address:
        port = int(os.environ["SLURM_JOB_ID"]) % 2**12 + (65535 - 2**12 + 1)
        address = f"{first_host(os.environ['SLURM_STEP_NODELIST'])}:{port}"
    return int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), address


def torch_place():
    rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "")))
    world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "")))
    return rank, world, f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"


def main():
    torch.set_num_threads(1)
    if hasattr(dist.TCPStore, "libuvBackend"):  # as in torchrun.py
        sys.modules["torch.distributed.rendezvous"].TCPStore = functools.partial(dist.TCPStore, use_libuv=False)
    is_jax = any("maxtext" in path for path in (__file__, *sys.argv))
    rank, world, address = jax_place() if is_jax else torch_place()
    dist.init_process_group("gloo", init_method=f"tcp://{address}", rank=rank, world_size=world)
    value = torch.tensor([rank + 1])
    dist.all_reduce(value)
    if value.item() != world * (world + 1) // 2:
        sys.exit(f"rank {rank}: the sum is {value.item()}")
    hosts = [None] * world
    dist.all_gather_object(hosts, socket.gethostname())
    image = open("/etc/stub-image", encoding="utf-8").read().strip() if os.path.exists("/etc/stub-image") else "no image"
    shown = {name: os.environ.get(name, "-") for name in os.environ.get("STUB_SHOWS", "NCCL_SOCKET_IFNAME").split()}
    print(f"rank {rank} of {world} in {image}: sum {value.item()} over {len(set(hosts))} hosts, local "
          f"{os.environ.get('LOCAL_RANK', os.environ.get('SLURM_LOCALID'))}, folder {os.getcwd()}, "
          f"home {'seen' if os.path.exists(os.path.expanduser('~/stub-home')) else 'unseen'}, {shown}, "
          f"options {sys.argv[1:]}", flush=True)
    if rank == 0 and os.path.isdir("/results"):
        with open("/results/done", "w", encoding="utf-8") as file:
            file.write(f"{value.item()}\n")
    os._exit(0)  # Python's own end may abort while PyTorch's threads still release tensors


main()
