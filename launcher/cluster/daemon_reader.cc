// Reads the daemons of the catalogue.
#include "launcher/cluster/daemon_reader.h"

namespace slipway::cluster {

NodeTransport::Daemon read_daemon(RowReader& row) {
  NodeTransport::Daemon daemon;
  daemon.name = row.text("name");
  daemon.images = optional_texts(row, "images");
  daemon.command = row.texts("command");
  daemon.stop = optional_texts(row, "stop");
  daemon.socket = optional_text(row, "socket");
  daemon.log_says = optional_text(row, "log_says");
  daemon.deadline_seconds = row.count("deadline_seconds");
  daemon.query = optional_texts(row, "query");
  if (!daemon.query.empty()) daemon.query_says = row.text("query_says");
  daemon.nodes_file = optional_text(row, "nodes_file");
  return daemon;
}

std::string optional_text(RowReader& row, std::string_view key) {
  return row.has(key) ? row.text(key) : "";
}

std::vector<std::string> optional_texts(RowReader& row, std::string_view key) {
  return row.has(key) ? row.texts(key) : std::vector<std::string>();
}

}  // namespace slipway::cluster
