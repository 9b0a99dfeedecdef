#!/usr/bin/env python3
"""A fake of RxDM, a transport's daemon: it listens on a socket until it gets SIGTERM.

rxdm.py --socket PATH [--fail] [--never-serve] [--print FILE]
The socket appears at PATH last, when the log is complete.
"""
import os, signal, socket, sys

options = sys.argv[1:]


def say(what):
    print(f"fake rxdm: {what}", flush=True)


def end(*_):
    say("ends")
    sys.exit(0)


signal.signal(signal.SIGTERM, end)
if "--fail" in options:
    say("no GPU has a NIC")
    sys.exit(1)
if "--never-serve" in options:
    say("waits")
    signal.pause()
if "--print" in options:
    say(" ".join(open(options[options.index("--print") + 1]).read().split()))
path = options[options.index("--socket") + 1]
made_at = os.path.dirname(path) + ".new"
if os.path.exists(made_at):
    os.remove(made_at)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(made_at)
listener.listen()
say("serves")
os.rename(made_at, path)
while True:
    listener.accept()[0].close()
