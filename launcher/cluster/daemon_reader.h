// Reads the daemons of the catalogue: a transport's or a machine type's.
#pragma once

#include "common/node_transport.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::cluster {

// All keys of a daemon, except `source` and `places`.
NodeTransport::Daemon read_daemon(RowReader& row);

}  // namespace slipway::cluster
