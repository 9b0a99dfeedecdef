// Starts what a machine does again and again by itself.
#pragma once

#include "launcher/node/machine.h"

namespace slipway::node {

// Starts the reconciler with a controller: its timer, or a loop where there is no systemd. Does
// nothing in an older image, which has no reconciler.
void start_reconciler(const Say& say);

// The same for what loads finished jobs into BigQuery, as Slurm's user.
void start_exporter(const Say& say);

// The same for what checks nodes deeply before jobs may have them.
void start_admitter(const Say& say);

// The same for what tells people what happens on the cluster.
void start_teller(const Say& say);

// The same on compute and login nodes for what takes a changed configuration over.
void start_follower(const Say& say);

}  // namespace slipway::node
