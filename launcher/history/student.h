// Student's t distribution.
#pragma once

namespace slipway::history {

// How likely a value at least as far from 0 as `t` is, with this many degrees of freedom, which
// may have a fraction. 1 if there are none.
double two_sided_p(double t, double degrees);

}  // namespace slipway::history
