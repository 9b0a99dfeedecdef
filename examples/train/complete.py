"""Asks which checkpoint in memory is complete, that is, in the memory of other nodes for all ranks.

By Slipway's C library, libslipway-checkpoints, through ctypes. A training does not need it: use it to report how
much a failure would cost, or to wait before something that may end the program.
"""

import ctypes
import os

NONE = -1  # the other codes, and what they mean, are in slipway_checkpoints.h


def _library():
    path = os.environ.get("SLIPWAY_CHECKPOINTS_LIBRARY")  # set by slipway launch --fast-checkpoints
    if not path:
        return None
    library = ctypes.CDLL(path)
    library.slipway_complete_step.restype = ctypes.c_int64
    library.slipway_wait_until_complete.argtypes = [ctypes.c_int64, ctypes.c_int64]
    library.slipway_checkpoints_text.argtypes = [ctypes.c_int64]
    library.slipway_checkpoints_text.restype = ctypes.c_char_p
    return library


_loaded = _library()


def newest():
    """The newest complete step; None before the first, or without --fast-checkpoints."""
    step = _loaded.slipway_complete_step() if _loaded else NONE
    return step if step >= 0 else None


def wait(step, seconds):
    """Waits until this step or a newer one is complete. False when the time is up. RuntimeError if it cannot become complete."""
    if _loaded is None:
        raise RuntimeError("not under slipway launch --fast-checkpoints")
    answer = _loaded.slipway_wait_until_complete(step, int(seconds * 1000))
    if answer < 0:
        raise RuntimeError(_loaded.slipway_checkpoints_text(answer).decode())
    return answer == 1
