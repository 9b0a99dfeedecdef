#!/usr/bin/env python3
"""A fake of a transport's daemon, RxDM: it listens on a socket of its own until it gets SIGTERM.

rxdm.py --socket PATH [--fail] [--never-serve]
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
path = options[options.index("--socket") + 1]
if os.path.exists(path):
    os.remove(path)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(path)
listener.listen()
say("serves")
while True:
    listener.accept()[0].close()
