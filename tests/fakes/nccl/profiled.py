"""Calls the profiler plugin that NCCL_PROFILER_PLUGIN names, as NCCL 2.28 does (version 5 of the interface), for
programs that have no NCCL. The time of a collective's kernel is that between begin() and end()."""
import ctypes
import os
import time

COLLECTIVE, KERNEL_CHANNEL, KERNEL_CHANNEL_STOP = 1 << 1, 1 << 6, 22
ADDRESS = ctypes.c_void_p


class Collective(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint64), ("function", ctypes.c_char_p), ("send", ADDRESS), ("receive", ADDRESS), ("count", ctypes.c_size_t),
                ("root", ctypes.c_int), ("datatype", ctypes.c_char_p), ("channels", ctypes.c_uint8), ("warps", ctypes.c_uint8),
                ("algorithm", ctypes.c_char_p), ("protocol", ctypes.c_char_p), ("group", ADDRESS)]


class KernelChannel(ctypes.Structure):
    _fields_ = [("channel", ctypes.c_uint8), ("timer", ctypes.c_uint64)]


class Event(ctypes.Union):
    _fields_ = [("collective", Collective), ("kernel_channel", KernelChannel)]


class Descriptor(ctypes.Structure):
    _anonymous_ = ["event"]
    _fields_ = [("type", ctypes.c_uint64), ("parent", ADDRESS), ("rank", ctypes.c_int), ("event", Event)]


class Table(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("init", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ADDRESS), ctypes.c_uint64, ctypes.POINTER(ctypes.c_int), ctypes.c_char_p, ctypes.c_int,
                                  ctypes.c_int, ctypes.c_int, ADDRESS)),
        ("start", ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.POINTER(ADDRESS), ctypes.POINTER(Descriptor))),
        ("stop", ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS)),
        ("record", ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.c_int, ctypes.POINTER(ctypes.c_uint64))),
        ("finalize", ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS))]


class Communicator:
    """Without a plugin, nothing is called. Raises OSError where the named one cannot be loaded."""

    def __init__(self, identity, rank, ranks, nodes):
        self.rank, self.number, self.context, self.table = rank, 0, ADDRESS(), None
        name = os.environ.get("NCCL_PROFILER_PLUGIN")
        if not name:
            return
        self.table = Table.in_dll(ctypes.CDLL(name), "ncclProfiler_v5")
        mask = ctypes.c_int()
        if self.table.init(ctypes.byref(self.context), identity, ctypes.byref(mask), b"", nodes, ranks, rank, None) != 0:
            self.table = None

    def start(self, **event):
        handle = ADDRESS()
        self.table.start(self.context, ctypes.byref(handle), ctypes.byref(Descriptor(rank=self.rank, **event)))
        return handle

    def begin(self, function, count):
        if self.table is None:
            return
        self.collective = self.start(type=COLLECTIVE, event=Event(collective=Collective(
            number=self.number, function=function.encode(), count=count, datatype=b"ncclInt8", channels=1)))
        self.number += 1
        self.kernel = self.start(type=KERNEL_CHANNEL, parent=self.collective, event=Event(kernel_channel=KernelChannel(0, time.time_ns())))
        self.table.stop(self.collective)

    def end(self):
        if self.table is None:
            return
        self.table.record(self.kernel, KERNEL_CHANNEL_STOP, ctypes.byref(ctypes.c_uint64(time.time_ns())))
        self.table.stop(self.kernel)
