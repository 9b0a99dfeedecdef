"""A TCP port that no other test on this machine uses, for the time of the test."""
import contextlib
import random
import socket

CLAIMS = []  # they end with this process


def own_port():
    """Claims it by a name that only one process of a network namespace can have, since rank 0 listens later.

    Below the ports that Linux gives connections, and below those that runs without a given port choose from.
    """
    while True:
        port = random.randrange(10000, 20000)
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            claim = stack.enter_context(socket.socket(socket.AF_UNIX))
            claim.bind(f"\0slipway test port {port}")
            socket.create_server(("127.0.0.1", port)).close()
            stack.pop_all()
            CLAIMS.append(claim)
            return port
