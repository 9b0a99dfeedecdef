// Computes the number of machines for TPU topologies.
#include "launcher/blueprint/tpu_nodes.h"

#include <fmt/core.h>

#include <optional>
#include <regex>

#include "launcher/blueprint/evaluation.h"
#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

using expression::Literal;
using expression::Value;
using source::Code;

constexpr const char* node_count = "static_node_count";

// The number of chips is at the end of a TPU machine type's name: ct6e-standard-4t has four.
// https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus
std::optional<int> chips_of(const std::string& machine_type) {
  static const std::regex form("(?:ct|tpu)[0-9a-z]*-[a-z]+-([1-9][0-9]{0,3})t");
  std::smatch match;
  if (!std::regex_match(machine_type, match, form)) return std::nullopt;
  return std::stoi(match[1]);
}

// 4x4x8 is 128 chips.
std::optional<long long> chips_in(const std::string& topology) {
  static const std::regex form("([1-9][0-9]{0,3})x([1-9][0-9]{0,3})(?:x([1-9][0-9]{0,3}))?");
  std::smatch match;
  if (!std::regex_match(topology, match, form)) return std::nullopt;
  const long long depth = match[3].matched ? std::stoll(match[3]) : 1;
  return std::stoll(match[1]) * std::stoll(match[2]) * depth;
}

struct Topology {
  std::string text;
  std::string setting;  // as in a blueprint: `workload_policy.accelerator_topology`
  Span span;
};

class TpuNodes {
 public:
  TpuNodes(Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics), evaluation_(deployment, diagnostics) {}

  void run() {
    for (Group& group : deployment_.groups) {
      for (Module& module : group.modules) {
        const bool takes_count =
            module.interface != nullptr && module.interface->input(node_count) != nullptr;
        if (takes_count && !module.settings.contains(node_count)) count(module);
      }
    }
  }

 private:
  void count(Module& module) {
    const std::optional<std::string> machine_type = text(value_of(module, "machine_type"));
    const std::optional<int> per_machine = machine_type ? chips_of(*machine_type) : std::nullopt;
    if (!per_machine) return;
    const std::optional<Value> handed_out = value_of(module, "enable_flex_start");
    if (handed_out && *handed_out == Value(true)) return;
    const std::optional<Topology> topology = topology_of(module);
    if (!topology) return;
    const std::optional<long long> chips = chips_in(topology->text);
    if (!chips) {
      refuse(module, *topology, "").help("write a topology as 4x4 or 2x2x4");
    } else if (*chips % *per_machine != 0) {
      refuse(module, *topology, fmt::format(" with {} chips", *chips))
          .help(
              fmt::format("machines of type `{}` have {} chips each", *machine_type, *per_machine));
    } else {
      const auto nodes = static_cast<Value::Number>(*chips / *per_machine);
      module.settings[node_count] = {
          expression::make({}, Literal{Value(nodes)}), Origin::computed, topology->span, {}};
    }
  }

  // The topology of a pool, from the first place that sets it.
  std::optional<Topology> topology_of(const Module& module) {
    if (auto own = topology_at(module, "tpu_topology", "")) return own;
    if (auto placed = topology_at(module, "placement_policy", "tpu_topology")) return placed;
    for (const Use& use : module.uses) {
      const Module* used = deployment_.find(use.module).module;
      if (used == nullptr) continue;
      if (auto policy = topology_at(*used, "workload_policy", "accelerator_topology")) {
        return policy;
      }
    }
    return std::nullopt;
  }

  std::optional<Topology> topology_at(const Module& module, const std::string& setting,
                                      const std::string& member) {
    std::optional<Value> value = value_of(module, setting);
    if (value && !member.empty()) {
      const auto* object = value->as<Value::Object>();
      const auto found = object == nullptr ? Value::Object::const_iterator() : object->find(member);
      if (object == nullptr || found == object->end()) return std::nullopt;
      value = Value(found->second);
    }
    const std::optional<std::string> topology = text(value);
    if (!topology) return std::nullopt;
    const Setting& written = module.settings.at(setting);
    const Span span = place_of(*written.value, member);
    return Topology{*topology, member.empty() ? setting : setting + "." + member,
                    span ? span : written.span};
  }

  // The place of a member of a mapping, or of the mapping itself.
  static Span place_of(const expression::Expression& value, const std::string& member) {
    const auto* object = value.as<expression::ObjectExpression>();
    if (object == nullptr) return value.span;
    for (const expression::ObjectItem& item : object->items) {
      const auto* key = item.key->as<Literal>();
      if (key != nullptr && key->value == Value(member)) return item.value->span;
    }
    return value.span;
  }

  // The value of a setting if it depends only on deployment variables.
  std::optional<Value> value_of(const Module& module, const std::string& name) {
    const auto setting = module.settings.find(name);
    if (setting == module.settings.end()) return std::nullopt;
    bool from_module = false;
    expression::for_each_reference(setting->second.value,
                                   [&](const expression::Traversal& traversal, Span) {
                                     from_module = from_module || traversal.root == "module";
                                   });
    if (from_module) return std::nullopt;
    try {
      return evaluation_.evaluate(setting->second.value);
    } catch (const expression::ExpressionError&) {
      return std::nullopt;  // reported when the settings are checked
    }
  }

  static std::optional<std::string> text(const std::optional<Value>& value) {
    const auto* found = value ? value->as<std::string>() : nullptr;
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  source::Diagnostic& refuse(const Module& module, const Topology& topology,
                             const std::string& size) {
    return diagnostics_.error(
        Code::rule_broken, topology.span,
        fmt::format("`{}`: machines of module `{}` cannot form the topology `{}`{}",
                    topology.setting, module.id, topology.text, size));
  }

  Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  Evaluation evaluation_;
};

}  // namespace

void count_tpu_nodes(Deployment& deployment, source::Diagnostics& diagnostics) {
  TpuNodes(deployment, diagnostics).run();
}

}  // namespace slipway::blueprint
