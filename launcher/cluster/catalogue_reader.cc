// Reads the catalogue's two files, with machine_reader.cc and transport_reader.cc.
#include <optional>

#include "common/file.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/machine_reader.h"
#include "launcher/cluster/transport_reader.h"
#include "launcher/source/table.h"
#include "launcher/source/yaml.h"

namespace slipway::cluster {
namespace {

using source::Diagnostics;

std::optional<source::Node> read_root(const std::filesystem::path& path, source::Sources& sources,
                                      Diagnostics& diagnostics) {
  return read_table(path, sources, diagnostics);
}

}  // namespace

Catalogue load_catalogue(const std::filesystem::path& folder, source::Sources& sources,
                         Diagnostics& diagnostics, Transports which) {
  const size_t errors_before = diagnostics.errors();
  std::map<std::string, TransportType> transports;
  std::optional<std::set<std::string>> names;  // includes wrong rows, so that machines that name
                                               // them are not errors as well
  if (which == Transports::read) {
    names.emplace();
    if (const auto root = read_root(folder / "transports.yaml", sources, diagnostics)) {
      transports = read_transports(*root, diagnostics);
      if (const source::Node* rows = root->find("transports")) {
        for (const source::Entry& entry : rows->entries) names->insert(entry.key);
      }
    }
  }
  MachineTable machines;
  if (const auto root = read_root(folder / "machines.yaml", sources, diagnostics)) {
    machines = read_machines(*root, names, diagnostics);
  }
  Catalogue catalogue(std::move(machines), std::move(transports));
  catalogue.complete = diagnostics.errors() == errors_before;
  return catalogue;
}

}  // namespace slipway::cluster
