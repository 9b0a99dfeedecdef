// A cluster like that of examples/quickstart.yaml, and the shipped catalogue.
#pragma once

#include <filesystem>
#include <stdexcept>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

inline const std::filesystem::path source_root = TEST_SOURCE_ROOT;

inline Catalogue shipped_catalogue() {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  Catalogue catalogue = load_catalogue(source_root / "blueprints/catalogue", sources, diagnostics);
  if (diagnostics.errors() > 0) throw std::runtime_error(render(diagnostics));
  return catalogue;
}

inline Cluster quickstart_cluster(int64_t node_count = 4) {
  Cluster cluster;
  cluster.deployment = "quickstart";
  cluster.name = "quickstart";
  cluster.networks = {{"network", "quickstart-net", "10.0.0.0/16", 8244}};
  cluster.file_systems = {{"homefs", "nfs", "/home", 2560, "network"}};
  const std::vector<std::string> networks = {"network"};
  const std::vector<MountedFileSystem> file_systems = {{"homefs", "/home"}};
  cluster.nodesets = {{"a3mega_nodeset",
                       "a3meganodeset",
                       {"a3-megagpu-8g", networks, file_systems},
                       node_count,
                       0,
                       {}}};
  cluster.partitions = {{"a3mega_partition", "a3mega", {"a3meganodeset"}, true, true, {}}};
  cluster.logins = {{"login", "login", {"n2-standard-4", networks, file_systems}, 1}};
  cluster.controller = {"controller", {"c2-standard-4", networks, file_systems}};
  return cluster;
}

}  // namespace slipway::cluster
