// The catalogue: reading machines.yaml and transports.yaml.
#include <fmt/format.h>

#include <optional>

#include "common/file.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/cluster/substitution.h"

namespace slipway::cluster {
namespace {

using source::Diagnostics;
using source::Node;

// A catalogue file: a table of sources, and the rows that name them.
struct File {
  std::set<std::string> sources;
  const Node* rows = nullptr;  // a mapping
};

File read_file_head(const Node& root, std::string_view rows_key, Diagnostics& diagnostics) {
  RowReader reader(root, "the file", diagnostics);
  File file;
  if (const Node* sources = reader.mapping("sources")) {
    for (const source::Entry& entry : sources->entries) file.sources.insert(entry.key);
  }
  file.rows = reader.mapping(rows_key);
  reader.finish();
  return file;
}

TransportType::Rule read_rule(const Node& node, const File& file, const std::string& transport,
                              Diagnostics& diagnostics) {
  RowReader row(node, fmt::format("a rule of transport `{}`", transport), diagnostics);
  TransportType::Rule rule{row.text("name"), row.text("value"), row.text("why"),
                           row.one_of("source", file.sources)};
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

std::map<std::string, TransportType> read_transports(const Node& root, Diagnostics& diagnostics) {
  std::map<std::string, TransportType> transports;
  const File file = read_file_head(root, "transports", diagnostics);
  if (file.rows == nullptr) return transports;
  for (const source::Entry& entry : file.rows->entries) {
    RowReader row(entry.value, fmt::format("transport `{}`", entry.key), diagnostics);
    const size_t errors = diagnostics.errors();
    TransportType transport{entry.key, row.text("about"), {}};
    if (row.has("environment")) {
      if (const Node* rules = row.sequence("environment")) {
        for (const Node& rule : rules->items) {
          transport.environment.push_back(read_rule(rule, file, entry.key, diagnostics));
        }
      }
    }
    row.finish();
    if (diagnostics.errors() == errors) transports.emplace(entry.key, std::move(transport));
  }
  return transports;
}

// `host` or `gpu` of a machine type.
void read_nics(RowReader& machine, std::string_view purpose, const std::string& what,
               const File& file, Diagnostics& diagnostics, std::vector<MachineType::Nic>& nics) {
  const Node* node = machine.mapping(purpose);
  if (node == nullptr) return;
  RowReader row(*node, fmt::format("`{}` of {}", purpose, what), diagnostics);
  const int64_t mtu_bytes = row.count("mtu_bytes");
  for (std::string& name : row.texts("names")) {
    nics.push_back({std::move(name), std::string(purpose), mtu_bytes});
  }
  row.one_of("source", file.sources);
  row.finish();
}

MachineType read_machine(const source::Entry& entry, const File& file,
                         const std::set<std::string>& transports, Diagnostics& diagnostics) {
  const std::string what = fmt::format("machine type `{}`", entry.key);
  RowReader machine(entry.value, what, diagnostics);
  MachineType type;
  type.name = entry.key;
  if (machine.has("gpus")) {
    if (const Node* node = machine.mapping("gpus")) {
      RowReader gpus(*node, fmt::format("`gpus` of {}", what), diagnostics);
      type.gpu_count = gpus.count("count");
      type.gpu_model = gpus.text("model");
      gpus.one_of("source", file.sources);
      gpus.finish();
    }
  }
  if (const Node* node = machine.mapping("cpus")) {
    RowReader cpus(*node, fmt::format("`cpus` of {}", what), diagnostics);
    type.sockets = cpus.count("sockets");
    type.cores_per_socket = cpus.count("cores_per_socket");
    type.threads_per_core = cpus.count("threads_per_core");
    cpus.one_of("source", file.sources);
    cpus.finish();
  }
  if (const Node* node = machine.mapping("memory")) {
    RowReader memory(*node, fmt::format("`memory` of {}", what), diagnostics);
    type.memory_mib = memory.count("gib") * 1024;
    memory.one_of("source", file.sources);
    memory.finish();
  }
  read_nics(machine, "host", what, file, diagnostics, type.nics);
  if (machine.has("gpu")) read_nics(machine, "gpu", what, file, diagnostics, type.nics);
  if (const Node* node = machine.mapping("transport")) {
    RowReader transport(*node, fmt::format("`transport` of {}", what), diagnostics);
    type.transport = transport.one_of("name", transports);
    transport.one_of("source", file.sources);
    transport.finish();
  }
  machine.finish();
  return type;
}

std::map<std::string, MachineType> read_machines(const Node& root,
                                                 const std::set<std::string>& transports,
                                                 Diagnostics& diagnostics) {
  std::map<std::string, MachineType> machines;
  const File file = read_file_head(root, "machines", diagnostics);
  if (file.rows == nullptr) return machines;
  for (const source::Entry& entry : file.rows->entries) {
    const size_t errors = diagnostics.errors();
    MachineType machine = read_machine(entry, file, transports, diagnostics);
    if (diagnostics.errors() == errors) machines.emplace(entry.key, std::move(machine));
  }
  return machines;
}

std::optional<Node> read_root(const std::filesystem::path& path, source::Sources& sources,
                              Diagnostics& diagnostics) {
  return read_yaml(sources.add(path.string(), read_file(path)), sources, diagnostics);
}

}  // namespace

Catalogue load_catalogue(const std::filesystem::path& folder, source::Sources& sources,
                         Diagnostics& diagnostics) {
  std::map<std::string, TransportType> transports;
  std::set<std::string> transport_names;  // a wrong row is still a name that machines may use
  if (const auto root = read_root(folder / "transports.yaml", sources, diagnostics)) {
    transports = read_transports(*root, diagnostics);
    if (const Node* rows = root->find("transports")) {
      for (const source::Entry& entry : rows->entries) transport_names.insert(entry.key);
    }
  }
  std::map<std::string, MachineType> machines;
  if (const auto root = read_root(folder / "machines.yaml", sources, diagnostics)) {
    machines = read_machines(*root, transport_names, diagnostics);
  }
  return {std::move(machines), std::move(transports)};
}

}  // namespace slipway::cluster
