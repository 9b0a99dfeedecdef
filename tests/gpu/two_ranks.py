"""Several ranks on one GPU, as processes: the whole path on a machine with one GPU."""
import contextlib
import secrets
import socket
import subprocess
import threading

from machine import NotHere, Wrong, complaint, require_right, rows


@contextlib.contextmanager
def ranks_of_one_gpu(machine, collective, *args, ranks=2):
    """Ranks on GPU 0, as processes, which end with the question. NCCL takes them for as many hosts, or has a variable for it.
    An NCCL that neither refuses nor connects them is given up after a while."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    machine.require_nccl()
    started, key = [], secrets.token_hex(32)
    for rank in range(ranks):
        settings = {"SLIPWAY_RANK": str(rank), "SLIPWAY_SIZE": str(ranks), "SLIPWAY_RENDEZVOUS": f"127.0.0.1:{port}",
                    "NCCL_TESTS_DEVICE": "0", "NCCL_HOSTID": f"rank-{rank}", "NCCL_NET": "Socket", "NCCL_P2P_DISABLE": "1",
                    "NCCL_SHM_DISABLE": "1", "NCCL_MULTI_RANK_GPU_ENABLE": "1", "SLIPWAY_RUN_KEY": key}
        started.append(subprocess.Popen([machine.program("bandwidth_perf"), collective, *args, "-T", "60"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**machine.environment, **settings}))
    ending = threading.Timer(machine.limit(), lambda: [one.kill() for one in started])
    ending.start()
    try:
        yield started
    finally:
        ending.cancel()
        for one in started:
            one.kill()
            one.communicate()


def rows_of_one_gpu(machine, collective, *args, ranks=2):
    """The rows of the table of such a run, which are right."""
    with ranks_of_one_gpu(machine, collective, *args, ranks=ranks) as started:
        done = [one.communicate(timeout=machine.limit()) for one in started]
    if started[0].returncode != 0:
        text = "".join(errors for _, errors in done)
        require_two_ranks(text)
        raise Wrong(f"{collective} {' '.join(args)} on {ranks} ranks: {complaint(text)}")
    found = rows(done[0][0])
    require_right(found)
    return found


def require_two_ranks(text):
    """Of a run that failed: whether this NCCL just does not allow it."""
    if "Duplicate GPU" in text or "invalid usage" in text:
        raise NotHere("this NCCL refuses two ranks on a GPU")
    if "joining the communicator of NCCL" in text:
        raise NotHere("this NCCL does not connect two ranks on a GPU")
