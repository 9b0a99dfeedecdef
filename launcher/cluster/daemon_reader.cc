// Reads the daemons of the catalogue.
#include "launcher/cluster/daemon_reader.h"

namespace slipway::cluster {

NodeTransport::Daemon read_daemon(RowReader& row) {
  NodeTransport::Daemon daemon;
  daemon.name = row.text("name");
  daemon.images = row.optional_texts("images");
  daemon.command = row.texts("command");
  daemon.stop = row.optional_texts("stop");
  daemon.socket = row.optional_text("socket");
  daemon.log_says = row.optional_text("log_says");
  daemon.deadline_seconds = row.count("deadline_seconds");
  daemon.query = row.optional_texts("query");
  if (!daemon.query.empty()) daemon.query_says = row.text("query_says");
  daemon.nodes_file = row.optional_text("nodes_file");
  return daemon;
}

}  // namespace slipway::cluster
