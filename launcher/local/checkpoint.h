// Points of a change at which a test can interrupt it.
#pragma once

namespace slipway::local {

// The variable SLIPWAY_TEST_STOP_AT=N of whoever runs `slipway deploy` or `destroy` has the process
// that reaches the Nth point stop itself (SIGSTOP) there, so that a test can end it, or let it go
// on. The points count on from the command to the process of the supervisor's that makes the
// change. Without the variable nothing happens, and with it nothing that its owner could not do by
// hand. `what` goes to stderr.
void checkpoint(const char* what);

// How many points are left until the stop, for the process that goes on counting; 0: none is
// counted.
int points_left();
void count_points(int left);

}  // namespace slipway::local
