#!/usr/bin/python3
"""torchrun of this machine's PyTorch, for images of tests.

That of Debian 12 does not start: with Python 3.11, its enumeration of where output goes is not found by the number 0 any
more. And it knows its options only with underscores: --nproc_per_node."""

import re
import sys

from torch.distributed.elastic.multiprocessing.api import Std
from torch.distributed.run import main

Std.from_str = classmethod(lambda cls, text: cls(int(text)))
options = 1
while options < len(sys.argv) and sys.argv[options].startswith("--"):
    sys.argv[options] = re.sub(r"(?<=\w)-", "_", sys.argv[options].partition("=")[0]) + re.sub("^[^=]*", "", sys.argv[options])
    options += 1
main()
