#!/usr/bin/python3
"""torchrun of this machine's PyTorch, for images of tests.

That of Debian 12 does not start: with Python 3.11, its enumeration of where output goes is not found by the number 0 any
more. And it knows its options only with underscores: --nproc_per_node. Debian builds PyTorch without libuv, which stores
of a newer torchrun use unless they are asked not to."""

import re
import sys

import torch.distributed

if hasattr(torch.distributed.TCPStore, "libuvBackend"):

    class Store(torch.distributed.TCPStore):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **{"use_libuv": False, **options})

    torch.distributed.TCPStore = Store

from torch.distributed.elastic.multiprocessing.api import Std
from torch.distributed.run import main

Std.from_str = classmethod(lambda cls, text: cls(int(text)))
options = 1
while options < len(sys.argv) and sys.argv[options].startswith("--"):
    sys.argv[options] = re.sub(r"(?<=\w)-", "_", sys.argv[options].partition("=")[0]) + re.sub("^[^=]*", "", sys.argv[options])
    options += 1
main()
