// Formulas for checkpoint intervals and goodput. All times are in the same unit.
//
// Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17
// (1974); J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
// dumps", FGCS 22 (2006); Meta, arXiv 2410.21680, for the first-order goodput.
#pragma once

namespace slipway::job {

// The work between two checkpoints that minimizes lost time, if a checkpoint takes `checkpoint` and
// the mean time between failures is `between_failures`. Both are above 0.
double young_interval(double checkpoint, double between_failures);
double daly_interval(double checkpoint, double between_failures);

// The fraction of time that is work. Exact if failures may come at any time, also during a restart,
// which then starts over, and if a replacement node is always available.
double daly_goodput(double interval, double checkpoint, double restart, double between_failures);

// First-order approximation, as Meta gives it: every failure costs a restart and half an interval.
// Too low where failures are frequent; never below 0.
double first_order_goodput(double interval, double checkpoint, double restart,
                           double between_failures);

}  // namespace slipway::job
