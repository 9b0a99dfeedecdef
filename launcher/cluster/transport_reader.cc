// Reads transports.yaml of the catalogue.
#include "launcher/cluster/transport_reader.h"

#include <fmt/core.h>

#include <cmath>
#include <set>

#include "launcher/cluster/daemon_reader.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/cluster/substitution.h"

namespace slipway::cluster {
namespace {

using source::Diagnostics;

constexpr long double bytes_per_gib = 1LL << 30;

class TransportReader {
 public:
  TransportReader(const std::set<std::string>& sources, Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  TransportType read(const source::Entry& entry) {
    name_ = entry.key;
    RowReader row(entry.value, fmt::format("transport `{}`", name_), diagnostics_);
    TransportType type{name_, row.text("about"), {}, read_rules(row, "environment"), {}};
    for (std::string& place : row.optional_texts("places")) type.places.insert(std::move(place));
    read_part(row, "hardware", [&](RowReader& part) {
      for (std::string& driver : part.texts("drivers")) {
        type.hardware.drivers.insert(std::move(driver));
      }
      type.hardware.link_layer = part.optional_text("link_layer");
    });
    type.node.single_node = variables(read_rules(row, "single_node"));
    type.node.without_profile = variables(read_rules(row, "without_profile"));
    read_part(row, "vendor_profile", [&](RowReader& part) {
      type.node.vendor_profile.path = part.text("path");
      for (std::string& name : part.optional_texts("leaves_out"))
        type.not_in_profile.insert(std::move(name));
      if (const source::Node* inputs = part.mapping("inputs")) {
        RowReader texts(*inputs, fmt::format("`inputs` of transport `{}`", name_), diagnostics_);
        for (const source::Entry& input : inputs->entries) {
          type.node.vendor_profile.inputs[input.key] = substitutable(texts, *inputs, input.key);
        }
      }
    });
    read_part(row, "libraries", [&](RowReader& part) {
      type.node.libraries = {part.text("folder"), part.texts("names"),
                             part.optional_text("must_agree") == "true"};
      type.other_folders = part.optional_texts("other_folders");
    });
    read_part(row, "daemon", [&](RowReader& part) { type.node.daemon = read_daemon(part); });
    read_part(row, "limits", [&](RowReader& part) { type.node.limits = read_limits(part); });
    read_part(row, "kubernetes", [&](RowReader& part) {
      type.pods = read_pod_network(part, diagnostics_);
      type.pods.environment = variables(read_rules(part, "environment"));
    });
    read_part(row, "vertex", [&](RowReader& part) { type.replicas = read_replica_network(part); });
    read_rows(row, "version_sets", [&](RowReader& part) {
      type.node.version_sets.push_back(
          {part.text("plugin"), part.optional_text("daemon"), part.optional_text("nccl")});
    });
    read_rows(row, "fatal", [&](RowReader& part) { type.node.fatal.push_back(read_fatal(part)); });
    row.finish();
    return type;
  }

 private:
  // A group of facts, each of which must name its source.
  template <class Read>
  void read_facts(const source::Node& node, const char* key, Read&& read) {
    RowReader part(node, fmt::format("`{}` of transport `{}`", key, name_), diagnostics_);
    read(part);
    part.finish(sources_);
  }

  template <class Read>
  void read_part(RowReader& row, const char* key, Read&& read) {
    if (!row.has(key)) return;
    if (const source::Node* node = row.mapping(key)) read_facts(*node, key, read);
  }

  template <class Read>
  void read_rows(RowReader& row, const char* key, Read&& read) {
    if (!row.has(key)) return;
    const source::Node* list = row.sequence(key);
    if (list == nullptr) return;
    for (const source::Node& item : list->items) read_facts(item, key, read);
  }

  // The text of `key`, in which every `$(` must begin a known name.
  std::string substitutable(RowReader& row, const source::Node& node, const std::string& key) {
    std::string text = row.text(key);
    if (const auto bad = find_bad_substitution(text)) {
      const std::vector<uint32_t> offsets = text_offsets(*node.find(key), diagnostics_.sources());
      row.wrong(
          {offsets[bad->begin], offsets[bad->end]},
          fmt::format("`{}` is not known here", text.substr(bad->begin, bad->end - bad->begin)),
          "a value may contain $(host_nics), $(gpu_nics) and $(rdma_devices)");
    }
    return text;
  }

  std::vector<TransportType::Rule> read_rules(RowReader& transport, const char* key) {
    std::vector<TransportType::Rule> rules;
    if (!transport.has(key)) return rules;
    const source::Node* list = transport.sequence(key);
    if (list == nullptr) return rules;
    for (const source::Node& node : list->items) {
      RowReader row(node, fmt::format("a rule of transport `{}`", name_), diagnostics_);
      rules.push_back({row.text("name"), substitutable(row, node, "value"), row.text("why"),
                       row.one_of("source", sources_)});
      row.finish();
    }
    return rules;
  }

  static std::vector<NodeTransport::Variable> variables(
      const std::vector<TransportType::Rule>& rules) {
    std::vector<NodeTransport::Variable> variables;
    for (const TransportType::Rule& rule : rules) {
      variables.push_back({rule.name, rule.value, rule.why});
    }
    return variables;
  }

  static NodeTransport::Limits read_limits(RowReader& part) {
    const auto bytes = [&](const char* key) {
      return part.has(key) ? std::llround(part.amount(key) * bytes_per_gib) : 0;
    };
    return {bytes("memlock_gib"), bytes("dev_shm_gib"), part.optional_text("bounded_stack_below")};
  }

  static NodeTransport::Fatal read_fatal(RowReader& part) {
    return {part.optional_text("nccl_from"),
            part.optional_text("nccl_below"),
            part.optional_text("plugin"),
            part.optional_text("architecture"),
            part.optional_text("variable"),
            part.optional_text("value"),
            part.optional_text("unlimited_stack") == "true",
            part.text("why")};
  }

  const std::set<std::string>& sources_;
  Diagnostics& diagnostics_;
  std::string name_;
};

}  // namespace

std::map<std::string, TransportType> read_transports(const source::Node& root,
                                                     Diagnostics& diagnostics) {
  std::map<std::string, TransportType> transports;
  RowReader file(root, "the file", diagnostics);
  const std::set<std::string> sources = file.keys("sources");
  const source::Node* rows = file.mapping("transports");
  file.finish();
  if (rows == nullptr) return transports;
  for (const source::Entry& entry : rows->entries) {
    const size_t errors = diagnostics.errors();
    TransportType transport = TransportReader(sources, diagnostics).read(entry);
    if (diagnostics.errors() == errors) transports.emplace(entry.key, std::move(transport));
  }
  return transports;
}

}  // namespace slipway::cluster
