#!/usr/bin/env python3
"""ras.py ANSWER [MODE [ADDRESS [PORT]]]: answers like the RAS service of NCCL 2.28.9, in text, with a recorded answer. Prints the
port. Modes: ok; silent, as a stopped process, whose connections the kernel accepts; `once-silent`: the first one only; slow; cut;
endless; binary. It ends when its input does."""
import socket
import sys
import threading
import time

longest_line = 256


def serve(connection, text, mode):
    """Until STATUS, after which NCCL closes the connection. The handshake may be left out. NCCL knows more commands."""
    pending = b""
    while True:
        while b"\n" not in pending:
            got = connection.recv(4096)
            if not got or len(pending) > longest_line:
                return
            pending += got
        line, pending = pending.split(b"\n", 1)
        words = line.decode("latin-1").strip().upper().split()
        if words[:2] == ["CLIENT", "PROTOCOL"] and len(words) == 3:
            connection.sendall(b"SERVER PROTOCOL 2\n")
        elif words[:1] == ["TIMEOUT"] and len(words) == 2:
            connection.sendall(b"OK\n" if words[1].isdigit() else b"ERROR: Invalid timeout value\n")
        elif words in (["STATUS"], ["VERBOSE", "STATUS"]):
            return answer(connection, text, mode)
        else:
            connection.sendall(b"ERROR: Unknown command\n")


def answer(connection, text, mode):
    if mode == "endless":
        while True:
            connection.sendall(b"  Rank 1 -- GPU 0 managed by process 7 on node n1\n" * 1000)
    if mode == "binary":
        connection.sendall(bytes(range(256)) * 64 + b"\nDEAD\n  Process 7 on node \x1b[31mn1 managing GPU 0\n")
    elif mode == "cut":
        connection.sendall(text[:text.index(b"Warnings")])
    elif mode == "slow":
        for each in text.splitlines(keepends=True):
            connection.sendall(each)
            time.sleep(0.01)
        time.sleep(60)
    else:
        connection.sendall(text)


def handle(connection, text, mode):
    try:
        with connection:
            serve(connection, text, mode)
    except OSError:
        pass


def main():
    path, mode, address, port = (sys.argv[1:] + ["ok", "127.0.0.1", "0"][len(sys.argv) - 2:])[:4]
    text = open(path, "rb").read()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.create_server((address, int(port)), family=family, reuse_port=True)
    sys.stdout.write(f"{server.getsockname()[1]}\n")  # at once, also where the output is not buffered
    sys.stdout.flush()
    threading.Thread(target=accept, args=[server, text, mode], daemon=True).start()
    sys.stdin.read()


def accept(server, text, mode):
    kept = []
    while True:
        connection = server.accept()[0]
        if mode == "silent" or (mode == "once-silent" and not kept):
            kept.append(connection)
            continue
        threading.Thread(target=handle, args=[connection, text, mode], daemon=True).start()


main()
