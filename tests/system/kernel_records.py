#!/usr/bin/env python3
"""Prints the records of the kernel's log, as /dev/kmsg has them, whose text begins so: kernel_records.py BEGINNING"""
import os
import sys

log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
last = None
while True:
    try:
        record = os.read(log, 8192).decode()
    except BrokenPipeError:  # overwritten before we reached it
        continue
    except BlockingIOError:
        break
    line = record.split("\n")[0]
    if line.partition(";")[2].startswith(sys.argv[1]):
        last = line
if last:
    print(last)
