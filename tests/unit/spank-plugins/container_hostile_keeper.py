#!/usr/bin/env python3
"""What a keeper could try that a user has replaced or changed: slurmstepd has root as its saved id and answers it.

The driver starts it instead of the keeper. The name of the file says what it tries; the result goes into the error of the
answer, which the driver prints.
"""

import array
import ctypes
import os
import socket
import stat
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
SYS_MOVE_MOUNT, SYS_MOUNT_SETATTR = 429, 442
AT_FDCWD, AT_EMPTY_PATH = -100, 0x1000
MOVE_MOUNT_F_EMPTY_PATH = 4
NOSUID, NODEV, RDONLY = 2, 4, 1


def ask(line, byte, fds=()):
    """The code and the descriptors of slurmstepd's answer."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    line.sendmsg([byte], rights)
    data, controls, _, _ = line.recvmsg(1, socket.CMSG_SPACE(16))
    received = array.array("i")
    for _, _, content in controls:
        received.frombytes(content[: len(content) - len(content) % 4])
    return (os.strerror(data[0]) if data else "no answer"), list(received)


def image_of(plan):
    length, rest = plan.split(b":", 1)
    return rest[: int(length)].decode()


def own_namespaces():
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
        return
    for name, text in [("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")]:
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def cleared(tree, bits):
    attributes = (ctypes.c_uint64 * 4)(0, bits, 0, 0)
    result = libc.syscall(SYS_MOUNT_SETATTR, tree, b"", AT_EMPTY_PATH, attributes, 32)
    return "done" if result == 0 else os.strerror(ctypes.get_errno())


def use_mount(tree, place):
    """Tries to make the kernel's mount of an image of root's less safe."""
    if libc.syscall(SYS_MOVE_MOUNT, tree, b"", AT_FDCWD, place.encode(), MOVE_MOUNT_F_EMPTY_PATH) != 0:
        return f"move: {os.strerror(ctypes.get_errno())}"
    words = [f"{name}: {cleared(tree, bits)}" for name, bits in [("nodev", NODEV), ("nosuid", NOSUID), ("ro", RDONLY)]]
    try:
        os.close(os.open(place + "/zero", os.O_RDONLY))
        words.append("opened the device")
    except OSError as error:
        words.append(f"device: {error.strerror}")
    return ", ".join(words)


def attack(line, plan):
    image = image_of(plan)
    kind = os.path.basename(sys.argv[0]).split(".")[0]
    if kind == "silent":
        time.sleep(1000)
    if kind == "garbage":
        os.pwrite(5, b"9:never", 0)
        line.send(b"e")
        return None
    if kind == "many":
        answers = [ask(line, b"x") for _ in range(3)]
        line.send(b"x")
        return answers[0][0]
    if kind == "fuse":
        code, fds = ask(line, b"f")
        return f"{code}, {len(fds)}"
    own_namespaces()
    if kind == "ownfuse":
        code, fds = ask(line, b"f")
        return f"{code}, {[stat.S_ISCHR(os.fstat(fd).st_mode) for fd in fds]}"
    code, fds = ask(line, b"k", [os.open(image, os.O_RDONLY)])
    if not fds:
        return f"{code}, no mount"
    return use_mount(fds[0], "/tmp")


def main():
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, 4)
    text = attack(line, os.pread(3, 1 << 20, 0))
    if text is not None:
        fields = [text, "0", "0", "", "0", "", "0"]
        os.pwrite(5, "".join(f"{len(field)}:{field}" for field in fields).encode(), 0)
        line.send(b"e")


if __name__ == "__main__":
    main()
