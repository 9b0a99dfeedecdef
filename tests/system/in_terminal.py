#!/usr/bin/env python3
"""Runs a command in a terminal: usage: in_terminal.py COMMAND [ARGUMENT...]

Prints what the command wrote to it after `written:`, and what the terminal shows in the end after `shown:`. Ends with the
command's exit status.
"""
import os, pty, select, sys, time


def in_terminal(words, environment=None, folder=".", interrupt_at=None, seconds=120):
    """What the command writes to a terminal, and its exit status; Ctrl-C is typed when it has written a text."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(words[0], [str(word) for word in words], environment or os.environ)
    output, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the command has ended
            break
        output += data
        if interrupt_at and interrupt_at.encode() in output:
            os.write(terminal, b"\x03")
            interrupt_at = None
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return output.decode(errors="replace"), os.waitstatus_to_exitcode(status)


def shown(output):
    """The lines that stay: a carriage return begins a line again, and ESC [ K erases the rest of it."""
    return [line.split("\r\x1b[K")[-1] for line in output.replace("\r\n", "\n").split("\n")]


def main():
    output, status = in_terminal(sys.argv[1:])
    print(f"written: {output!r}\nshown:")
    print("\n".join(shown(output)))
    return status


if __name__ == "__main__":
    sys.exit(main())
