// The catalogue: reading transports.yaml, and machines.yaml with machine_reader.cc.
#include <fmt/format.h>

#include <optional>

#include "common/file.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/machine_reader.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/cluster/substitution.h"

namespace slipway::cluster {
namespace {

using source::Diagnostics;

TransportType::Rule read_rule(const source::Node& node, const std::set<std::string>& sources,
                              const std::string& transport, Diagnostics& diagnostics) {
  RowReader row(node, fmt::format("a rule of transport `{}`", transport), diagnostics);
  TransportType::Rule rule{row.text("name"), row.text("value"), row.text("why"),
                           row.one_of("source", sources)};
  if (const auto bad = find_bad_substitution(rule.value)) {
    const std::vector<uint32_t> offsets = text_offsets(*node.find("value"), diagnostics.sources());
    row.wrong(
        {offsets[bad->begin], offsets[bad->end]},
        fmt::format("`{}` is not known here", rule.value.substr(bad->begin, bad->end - bad->begin)),
        "a value may hold $(host_nics) and $(gpu_nics)");
  }
  row.finish();
  return rule;
}

std::map<std::string, TransportType> read_transports(const source::Node& root,
                                                     Diagnostics& diagnostics) {
  std::map<std::string, TransportType> transports;
  RowReader file(root, "the file", diagnostics);
  const std::set<std::string> sources = file.keys("sources");
  const source::Node* rows = file.mapping("transports");
  file.finish();
  if (rows == nullptr) return transports;
  for (const source::Entry& entry : rows->entries) {
    RowReader row(entry.value, fmt::format("transport `{}`", entry.key), diagnostics);
    const size_t errors = diagnostics.errors();
    TransportType transport{entry.key, row.text("about"), {}};
    if (row.has("environment")) {
      if (const source::Node* rules = row.sequence("environment")) {
        for (const source::Node& rule : rules->items) {
          transport.environment.push_back(read_rule(rule, sources, entry.key, diagnostics));
        }
      }
    }
    row.finish();
    if (diagnostics.errors() == errors) transports.emplace(entry.key, std::move(transport));
  }
  return transports;
}

std::optional<source::Node> read_root(const std::filesystem::path& path, source::Sources& sources,
                                      Diagnostics& diagnostics) {
  return read_yaml(sources.add_file(path), sources, diagnostics);
}

}  // namespace

Catalogue load_catalogue(const std::filesystem::path& folder, source::Sources& sources,
                         Diagnostics& diagnostics) {
  const size_t errors_before = diagnostics.errors();
  std::map<std::string, TransportType> transports;
  std::set<std::string> transport_names;  // a wrong row is still a name that machines may use
  if (const auto root = read_root(folder / "transports.yaml", sources, diagnostics)) {
    transports = read_transports(*root, diagnostics);
    if (const source::Node* rows = root->find("transports")) {
      for (const source::Entry& entry : rows->entries) transport_names.insert(entry.key);
    }
  }
  std::map<std::string, MachineType> machines;
  if (const auto root = read_root(folder / "machines.yaml", sources, diagnostics)) {
    machines = read_machines(*root, transport_names, diagnostics);
  }
  Catalogue catalogue(std::move(machines), std::move(transports));
  catalogue.complete = diagnostics.errors() == errors_before;
  return catalogue;
}

}  // namespace slipway::cluster
