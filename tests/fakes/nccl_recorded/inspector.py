#!/usr/bin/env python3
"""Writes what NVIDIA's inspector of NCCL 2.28 writes, for programs that have no NCCL: once an interval, the last
collective of each communicator. `inspector.py FILE...` fails unless it would write those recorded files."""
import json
import os
import socket
import sys
import threading
import time


class Recorder:
    """One in a process. Without a folder, or where its parent is missing, it records nothing and says nothing."""

    def __init__(self):
        self.ended, self.lock, self.file = {}, threading.Lock(), None
        interval = int(os.environ.get("NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS", 0))
        folder = os.environ.get("NCCL_INSPECTOR_DUMP_DIR")
        if os.environ.get("NCCL_INSPECTOR_ENABLE") != "1" or interval == 0 or not folder:
            return
        try:
            if not os.path.isdir(folder):
                os.mkdir(folder)
            self.file = open(f"{folder}/{socket.gethostname()}-pid{os.getpid()}.log", "w", encoding="utf-8")
        except OSError:
            return
        threading.Thread(target=self.dump, args=[interval / 1e6], daemon=True).start()

    def record(self, communicator, rank, ranks, nodes, function, number, size, seconds):
        """A collective has ended. NCCL counts those of each function of a communicator."""
        with self.lock:
            self.ended[communicator] = (rank, ranks, nodes, function, number, size, int(seconds * 1e6))

    def dump(self, seconds):
        while True:
            time.sleep(seconds)
            with self.lock:
                ended, self.ended = self.ended, {}
            for communicator, (rank, ranks, nodes, function, number, size, microseconds) in ended.items():
                self.file.write(line(communicator, rank, ranks, nodes, int(time.time() * 1e6), socket.gethostname(),
                                     os.getpid(), function, number, size, microseconds))
            self.file.flush()


def line(communicator, rank, ranks, nodes, now, host, pid, function, number, size, microseconds):
    algorithm = size * (ranks if function in ("AllGather", "ReduceScatter") else 1) / max(microseconds, 1) / 1e3
    factor = {"AllReduce": 2 * (ranks - 1) / ranks, "AllGather": (ranks - 1) / ranks,
              "ReduceScatter": (ranks - 1) / ranks}.get(function, 1)
    text = json.dumps({
        "header": {"id": f"0x{communicator:014x}", "rank": rank, "n_ranks": ranks, "nnodes": nodes},
        "metadata": {"inspector_output_format_version": "v4.0", "git_rev": "standalone-build",
                     "rec_mechanism": "nccl_profiler_interface", "dump_timestamp_us": now, "hostname": host, "pid": pid},
        "coll_perf": {"coll": function, "coll_sn": number, "coll_msg_size_bytes": size,
                      "coll_exec_time_us": microseconds, "coll_timing_source": "kernel_gpu"}}, separators=(",", ":"))
    return text[:-2] + f',"coll_algobw_gbs":{algorithm:.6f},"coll_busbw_gbs":{algorithm * factor:.6f}}}}}\n'


def check(path):
    for text in open(path, encoding="utf-8"):
        body = json.loads(text)
        header, metadata, seen = body["header"], body["metadata"], body["coll_perf"]
        again = line(int(header["id"], 16), header["rank"], header["n_ranks"], header["nnodes"],
                     metadata["dump_timestamp_us"], metadata["hostname"], metadata["pid"], seen["coll"], seen["coll_sn"],
                     seen["coll_msg_size_bytes"], seen["coll_exec_time_us"])
        if again != text:
            sys.exit(f"{path} has\n{text}and we write\n{again}")


for each in sys.argv[1:] if __name__ == "__main__" else []:
    check(each)
