// Reads the daemons of the catalogue: a transport's or a machine type's.
#pragma once

#include "common/node_transport.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::cluster {

// All keys of a daemon, except `source` and `places`.
NodeTransport::Daemon read_daemon(RowReader& row);

std::string optional_text(RowReader& row, std::string_view key);
std::vector<std::string> optional_texts(RowReader& row, std::string_view key);

}  // namespace slipway::cluster
