// What commands need of a blueprint's nodesets of TPUs.
#include <fmt/core.h>

#include "launcher/cluster/tpu_check.h"
#include "launcher/commands/blueprint_input.h"

namespace slipway::commands {

std::vector<cluster::TpuNodeset> LoadedBlueprint::tpu_nodesets() {
  if (compiled_ == nullptr) return {};
  const cluster::TpuTable tpus = cluster::load_tpus(catalogue_folder(), sources_, diagnostics_);
  const auto nodesets = cluster::tpu_nodesets(compiled_->evaluation, tpus);
  if (nodesets.empty()) return {};
  cluster::check_tpus(compiled_->evaluation, tpus, diagnostics_);
  show();
  if (diagnostics_.errors() > 0) throw InvalidBlueprint();
  return nodesets;
}

std::optional<conversion::Queues> LoadedBlueprint::tpu_queues() {
  if (compiled_ == nullptr) return std::nullopt;
  const cluster::TpuTable tpus = cluster::load_tpus(catalogue_folder(), sources_, diagnostics_);
  const auto nodesets = cluster::tpu_nodesets(compiled_->evaluation, tpus);
  if (nodesets.empty()) return std::nullopt;
  cluster::check_tpus(compiled_->evaluation, tpus, diagnostics_);
  for (const auto& [name, place] : cluster::partitions_without_tpus(compiled_->evaluation, tpus)) {
    diagnostics_
        .warning(source::Code::no_equivalent, place,
                 fmt::format("the partition `{}` gets no queue", name))
        .help(
            "beside nodesets of TPUs, others are not known: describe it in a blueprint of its "
            "own");
  }
  conversion::Queues queues = conversion::queues_of(compiled_->deployment.name, nodesets, tpus,
                                                    site_data().catalogue, diagnostics_);
  show();
  if (diagnostics_.errors() > 0) throw InvalidBlueprint();
  return queues;
}

}  // namespace slipway::commands
