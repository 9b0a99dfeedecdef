// Reads what a pod needs for a transport.
#include "launcher/cluster/pod_network.h"

#include "launcher/cluster/row_reader.h"

namespace slipway::cluster {
namespace {

std::vector<PodNetwork::HostPath> host_paths(RowReader& row, source::Diagnostics& diagnostics) {
  std::vector<PodNetwork::HostPath> paths;
  if (!row.has("host_paths")) return paths;
  const source::Node* list = row.sequence("host_paths");
  if (list == nullptr) return paths;
  for (const source::Node& item : list->items) {
    RowReader part(item, "an entry of `host_paths`", diagnostics);
    paths.push_back({part.text("name"), part.text("path"), part.text("at")});
    part.finish();
  }
  return paths;
}

}  // namespace

PodNetwork read_pod_network(RowReader& row, source::Diagnostics& diagnostics) {
  PodNetwork pods;
  pods.host = row.texts("host");
  pods.gpu = row.texts("gpu");
  pods.networks = row.texts("networks");
  pods.folder = pods.configuration = row.text("folder");
  pods.host_paths = host_paths(row, diagnostics);
  pods.shared = row.optional_texts("shared");
  if (!row.has("daemon")) return pods;
  if (const source::Node* node = row.mapping("daemon")) {
    RowReader daemon(*node, "`daemon` of `kubernetes`", diagnostics);
    pods.daemon = {daemon.texts("command"), daemon.texts("capabilities"), daemon.texts("devices"),
                   host_paths(daemon, diagnostics)};
    daemon.finish();
  }
  return pods;
}

PodNetwork read_replica_network(RowReader& row) {
  PodNetwork replicas;
  replicas.host = row.texts("host");
  replicas.gpu = row.texts("gpu");
  replicas.folder = row.text("folder");
  replicas.configuration = row.optional_text("configuration");
  if (replicas.configuration.empty()) replicas.configuration = replicas.folder;
  return replicas;
}

}  // namespace slipway::cluster
