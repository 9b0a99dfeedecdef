// Checks settings of machines that only some machine types can have.
#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "launcher/cluster/model_part.h"
#include "launcher/google/resource_check.h"
#include "launcher/google/value_check.h"

namespace slipway::google {
namespace {

using cluster::MachineType;
using source::Code;

// The first of these inputs that the blueprint sets; the module's id if it sets none.
source::Span place_of_first(const blueprint::Module& module,
                            std::initializer_list<const char*> inputs) {
  for (const char* input : inputs) {
    if (module.settings.contains(input)) return cluster::place_of(module, input);
  }
  return module.id_span;
}

bool is_true(const Json& block, const char* key) {
  return block.value(key, Json()) == true;
}

bool fits_any(const std::vector<Pattern>& patterns, const std::string& name) {
  return std::ranges::any_of(patterns,
                             [&](const Pattern& pattern) { return pattern.fits_all_of(name); });
}

// A block, which Terraform's JSON also takes as a list of one.
Json only_block(const Json& body, const char* key) {
  const Json found = body.value(key, Json());
  return found.is_array() && found.size() == 1 ? found[0] : found.is_object() ? found : Json({});
}

}  // namespace

void ResourceCheck::check_features(const blueprint::Module& module, const MachineType& type,
                                   const Json& body) {
  check_confidential(module, type, only_block(body, "confidential_instance_config"));
  check_platform(module, type, text_of(body, "min_cpu_platform"));
  const Json features = only_block(body, "advanced_machine_features");
  if (is_true(features, "enable_nested_virtualization") &&
      fits_any(rules_->no_nested_virtualization, type.name)) {
    report(Code::rule_broken,
           place_of_first(module, {"advanced_machine_features", "enable_nested_virtualization"}),
           fmt::format("a `{}` has no nested virtualization", type.name),
           "leave `enable_nested_virtualization` out, or use another machine type");
  }
  check_threads(module, type, number_of(features.value("threads_per_core", Json())));
  const Json scheduling = only_block(body, "scheduling");
  const bool is_spot = text_of(scheduling, "provisioning_model") == "SPOT" ||
                       is_true(scheduling, "preemptible") || is_true(body, "spot");
  if (is_spot && fits_any(rules_->no_spot, type.name)) {
    report(Code::rule_broken,
           place_of_first(module, {"enable_spot_vm", "spot", "preemptible", "provisioning_model"}),
           fmt::format("a `{}` cannot be a Spot VM", type.name), "");
  }
}

void ResourceCheck::check_threads(const blueprint::Module& module, const MachineType& type,
                                  std::optional<double> threads) {
  const bool of_cluster = module.settings.contains("advanced_machine_features");
  if (!threads || !(of_cluster || module.settings.contains("threads_per_core"))) return;
  const source::Span place =
      place_of_first(module, {"threads_per_core", "advanced_machine_features"});
  if (*threads > static_cast<double>(type.threads_per_core)) {
    // Those of a cluster have been compared with its nodes.
    if (of_cluster) return;
    return report(Code::rule_broken, place,
                  fmt::format("`threads_per_core` is {}, but a core of a `{}` has one thread",
                              *threads, type.name),
                  "");
  }
  const std::string message =
      fmt::format("the threads per core of a `{}` cannot be set", type.name);
  if (!rules_->fixed_threads.fits_all_of(type.name)) return;
  if (!said_.emplace(place.begin, message).second) return;
  diagnostics_.warning(Code::rule_broken, place, message)
      .help("leave `threads_per_core` out, or set it to null");
}

void ResourceCheck::check_confidential(const blueprint::Module& module, const MachineType& type,
                                       const Json& block) {
  const std::string named = text_of(block, "confidential_instance_type");
  if (named.empty() && !is_true(block, "enable_confidential_compute")) return;
  if (is_expression(named)) return;
  const auto row = std::ranges::find_if(rules_->confidential, [&](const Confidential& some) {
    return some.types.fits_all_of(type.name);
  });
  if (row == rules_->confidential.end()) return;
  const std::string technology = named.empty() ? rules_->confidential_default : named;
  if (is_listed(row->technologies, technology)) return;
  if (row->technologies.empty()) {
    return report(Code::rule_broken,
                  place_of_first(module, {"enable_confidential_vm", "confidential_instance_type"}),
                  fmt::format("a `{}` cannot be a Confidential VM", type.name),
                  "leave `enable_confidential_vm` out, or use another machine type");
  }
  report(Code::rule_broken,
         place_of_first(module, {"confidential_instance_type", "enable_confidential_vm"}),
         named.empty()
             ? fmt::format("a `{}` cannot be a Confidential VM by `{}`, which is the default",
                           type.name, technology)
             : fmt::format("a `{}` cannot be a Confidential VM by `{}`", type.name, technology),
         fmt::format("`confidential_instance_type` can be: {}",
                     slipway::join(row->technologies, ", ")));
}

void ResourceCheck::check_platform(const blueprint::Module& module, const MachineType& type,
                                   const std::string& platform) {
  const bool is_known = std::ranges::any_of(
      rules_->platforms, [&](const Platforms& some) { return is_listed(some.names, platform); });
  if (!is_known) return;
  const auto row = std::ranges::find_if(rules_->platforms, [&](const Platforms& some) {
    return type.name.starts_with(some.machines);
  });
  if (row == rules_->platforms.end() || is_listed(row->names, platform)) return;
  report(Code::rule_broken, place_of_first(module, {"min_cpu_platform"}),
         fmt::format("a `{}` has no CPUs of the platform `{}`", type.name, platform),
         row->names.empty()
             ? "leave `min_cpu_platform` out: this series takes none"
             : fmt::format("use one of: {}, or leave it out", slipway::join(row->names, ", ")));
}

}  // namespace slipway::google
