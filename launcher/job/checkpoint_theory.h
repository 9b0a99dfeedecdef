// What can be said about checkpoints without a simulation. All times in the same unit.
//
// Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17
// (1974); J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
// dumps", FGCS 22 (2006); Meta, arXiv 2410.21680, for the first-order goodput.
#pragma once

namespace slipway::job {

// The work between two checkpoints that loses the least time, when a checkpoint costs
// `checkpoint` and failures are `between_failures` apart in the mean. Costs above 0.
double young_interval(double checkpoint, double between_failures);
double daly_interval(double checkpoint, double between_failures);

// The part of the time that is work, exactly, when failures come at any time, also during a
// restart, which then begins anew, and nodes are never short.
double daly_goodput(double interval, double checkpoint, double restart, double between_failures);

// The same to the first order, as Meta gives it: every failure costs a restart and half an
// interval. Too low where failures are frequent, and never below 0.
double first_order_goodput(double interval, double checkpoint, double restart,
                           double between_failures);

}  // namespace slipway::job
