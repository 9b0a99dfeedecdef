/* For programs under `slipway launch --fast-checkpoints`: asks which step is complete, that is, in
 * the memory of all nodes that keep it, for all ranks. A program needs this only if it wants to
 * know; to save a step, it renames a folder.
 *
 *   cc train.c -I/opt/slipway/include -L/opt/slipway/lib/slipway -lslipway-checkpoints
 *
 * With C, C++, and Python's ctypes (examples/train/complete.py). Any thread may call any function,
 * and nothing has to be closed. Nothing is sent: the functions read a small file that the node's
 * agent writes. */
#ifndef SLIPWAY_CHECKPOINTS_H
#define SLIPWAY_CHECKPOINTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SLIPWAY_CHECKPOINTS_NONE = -1,    /* no step is complete yet */
  SLIPWAY_CHECKPOINTS_ABSENT = -2,  /* the program does not run with --fast-checkpoints */
  SLIPWAY_CHECKPOINTS_OFF = -3,     /* they were turned off: launch says why */
  SLIPWAY_CHECKPOINTS_OTHER = -4,   /* the agent is of a version that this library does not know */
  SLIPWAY_CHECKPOINTS_UNREADABLE = -5 /* errno says why */
};

/* The newest complete step, 0 or more, or one of the codes above. After a restart it is the step
 * that the program finds in $SLIPWAY_CHECKPOINTS. */
int64_t slipway_complete_step(void);

/* Whether a failure from now on cannot take the program back to before `step`: 1 if it is complete,
 * or a newer one that replaced it; 0 if not yet; or a code, but never _NONE. Not every step becomes
 * complete: while one is copied, all but the newest of the others are left out. */
int slipway_is_complete(int64_t step);

/* Waits until slipway_is_complete() is not 0, and returns that; 0 if the time is up. Less than 0
 * milliseconds: waits as long as it takes. */
int slipway_wait_until_complete(int64_t step, int64_t milliseconds);

/* What a code means, for people. */
const char* slipway_checkpoints_text(int64_t code);

#ifdef __cplusplus
}
#endif

#endif
