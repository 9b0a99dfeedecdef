// Points of a change at which a test can interrupt it.
#pragma once

namespace slipway::local {

// With SLIPWAY_TEST_STOP_AT=N in the environment of `slipway deploy` or `destroy`, the process that
// reaches the Nth point stops itself there (SIGSTOP), so that a test can kill it or let it
// continue. The count continues from the command into the supervisor's child process that makes the
// change. The variable gives its user nothing that a kill(1) by hand would not. `what` goes to
// stderr.
void checkpoint(const char* what);

// Points left until the stop; 0: not counting. For passing the count to the process that takes
// over.
int points_left();
void count_points(int left);

}  // namespace slipway::local
