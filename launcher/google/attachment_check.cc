// Checks the machine types of resources, and the GPUs and local SSDs that are added to them.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/text.h"
#include "launcher/google/resource_check.h"
#include "launcher/google/value_check.h"

namespace slipway::google {
namespace {

using source::Code;

bool is_counted(const std::vector<int64_t>& counts, const Json& count) {
  return !count.is_number() || std::ranges::find(counts, count.get<int64_t>()) != counts.end();
}

std::string listed(const std::vector<int64_t>& counts) {
  std::vector<std::string> texts;
  for (const int64_t count : counts) texts.push_back(std::to_string(count));
  return slipway::join(texts, ", ");
}

// The blocks `key` of a resource, which may be one or a list.
std::vector<Json> blocks_of(const Json& body, const char* key) {
  const Json found = body.value(key, Json());
  if (found.is_object()) return {found};
  return found.is_array() ? found.get<std::vector<Json>>() : std::vector<Json>();
}

}  // namespace

void ResourceCheck::check_machine(const blueprint::Module& module, const Json& body) {
  const std::string name = text_of(body, "machine_type");
  if (name.empty() || name.find("${") != name.npos || machines_ == nullptr ||
      !machines_->complete) {
    return;
  }
  const cluster::MachineType* type =
      check_machine_type(name, place_of_value(module, "machine_type", name));
  if (type == nullptr || type->assumed) return;
  for (const Json& gpus : blocks_of(body, "guest_accelerator")) check_gpus(module, *type, gpus);
  check_local_ssds(module, *type, body);
  check_tier_1(module, *type, body);
  check_features(module, *type, body);
}

// Reports a machine type that the catalogue lacks, and returns null.
const cluster::MachineType* ResourceCheck::check_machine_type(const std::string& name,
                                                              source::Span place) {
  const cluster::MachineType* type = machines_->find_machine(name);
  if (type != nullptr) return type;
  const std::string why = machines_->why_no_machine(name);
  report(Code::unknown_machine_type, place,
         why.empty() ? fmt::format("there is no machine type `{}` in the catalogue", name)
                     : fmt::format("there is no machine type `{}`: {}", name, why),
         why.empty() ? source::did_you_mean(name, machines_->machine_types()) : "");
  return nullptr;
}

void ResourceCheck::check_gpus(const blueprint::Module& module, const cluster::MachineType& type,
                               const Json& gpus) {
  const std::string model = text_of(gpus, "type");
  const Json count = gpus.value("count", Json());
  if (model.empty() || model.find("${") != model.npos || count == 0) return;
  const source::Span place = place_of_value(module, "guest_accelerator", model);
  if (type.gpu_count > 0) {
    const bool same = model.starts_with(type.gpu_model) && is_counted({type.gpu_count}, count);
    if (same) return;
    return report(Code::rule_broken, place,
                  fmt::format("`{}` has {} of `{}`, and takes no others", type.name, type.gpu_count,
                              type.gpu_model),
                  "leave `guest_accelerator` out");
  }
  std::vector<std::string> models;
  for (const AttachedGpus& row : rules_->attached_gpus) {
    if (!type.name.starts_with(row.machines)) continue;
    models.push_back(row.model);
    if (row.model != model) continue;
    if (!is_counted(row.counts, count)) {
      return report(Code::rule_broken, place,
                    fmt::format("`{}` cannot have {} of `{}`", type.name, count.dump(), model),
                    fmt::format("use one of: {}", listed(row.counts)));
    }
    for (size_t i = 0; i < row.most_vcpus.size(); ++i) {
      if (count != row.counts[i] || type.cpus() <= row.most_vcpus[i]) continue;
      report(Code::rule_broken, place,
             fmt::format("`{}` has too many vCPUs for {} of `{}`", type.name, count.dump(), model),
             fmt::format("{} at most", slipway::counted(row.most_vcpus[i], "vCPU")));
    }
    return;
  }
  const std::string meant = source::did_you_mean(model, models);
  report(Code::rule_broken, place,
         fmt::format("`{}` cannot have GPUs of type `{}`", type.name, model),
         models.empty()  ? "no GPUs can be added to machines of this type"
         : meant.empty() ? fmt::format("use one of: {}", slipway::join(models, ", "))
                         : meant);
}

void ResourceCheck::check_local_ssds(const blueprint::Module& module,
                                     const cluster::MachineType& type, const Json& body) {
  int64_t counted = static_cast<int64_t>(blocks_of(body, "scratch_disk").size());
  for (const char* pool : {"ephemeral_storage_local_ssd_config", "local_nvme_ssd_block_config"}) {
    for (const Json& block : blocks_of(body, pool)) {
      if (const Json count = block.value("local_ssd_count", Json()); count.is_number()) {
        counted += count.get<int64_t>();
      }
    }
  }
  const int64_t count =
      counted + std::ranges::count_if(blocks_of(body, "disk"), [&](const Json& disk) {
        return text_of(disk, "disk_type") == rules_->local_ssd;
      });
  if (count <= 0) return;
  const auto row = std::ranges::find_if(rules_->local_ssds, [&](const LocalSsds& some) {
    return type.name.starts_with(some.machines) && type.name.ends_with(some.ends) &&
           (some.vcpus == 0 || type.cpus() <= some.vcpus);
  });
  if (row == rules_->local_ssds.end() || is_counted(row->counts, count)) return;
  report(Code::rule_broken,
         counted > 0 ? place_of_value(module, "local_ssd_count", counted)
                     : place_of_value(module, "disks", rules_->local_ssd),
         row->counts.empty()
             ? fmt::format("`{}` cannot have local SSDs", type.name)
             : fmt::format("`{}` cannot have {}", type.name, slipway::counted(count, "local SSD")),
         row->counts.empty() ? "" : fmt::format("use one of: {}", listed(row->counts)));
}

void ResourceCheck::check_tier_1(const blueprint::Module& module, const cluster::MachineType& type,
                                 const Json& body) {
  for (const Json& block : blocks_of(body, "network_performance_config")) {
    if (text_of(block, "total_egress_bandwidth_tier") != "TIER_1") continue;
    const auto row = std::ranges::find_if(
        rules_->tier_1, [&](const Tier1& some) { return type.name.starts_with(some.machines); });
    if (row == rules_->tier_1.end()) continue;
    if (row->least_vcpus > 0 && type.cpus() >= row->least_vcpus) continue;
    report(Code::rule_broken, place_of_value(module, "bandwidth_tier", "tier_1_enabled"),
           fmt::format("`{}` cannot have the bandwidth of TIER_1", type.name),
           row->least_vcpus == 0
               ? "leave `bandwidth_tier` out, or use another machine type"
               : fmt::format("machines of this series can from {} vCPUs on", row->least_vcpus));
  }
}

}  // namespace slipway::google
