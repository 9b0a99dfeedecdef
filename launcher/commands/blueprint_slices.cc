// What commands need of a blueprint's nodesets of TPUs.
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

std::optional<conversion::Queues> LoadedBlueprint::tpu_queues(const conversion::KueueTable& table) {
  if (compiled_ == nullptr) return std::nullopt;
  const cluster::TpuTable tpus = cluster::load_tpus(catalogue_folder(), sources_, diagnostics_);
  const auto nodesets = cluster::tpu_nodesets(compiled_->evaluation, tpus);
  if (nodesets.empty()) return std::nullopt;
  cluster::check_tpus(compiled_->evaluation, tpus, diagnostics_);
  conversion::Queues queues = conversion::queues_of(compiled_->deployment.name, nodesets, tpus,
                                                    site_data().catalogue, diagnostics_);
  for (const auto& partition : cluster::partitions_without_tpus(compiled_->evaluation, tpus)) {
    conversion::add_partition(partition, site_data().catalogue, table, queues, diagnostics_);
  }
  show();
  if (diagnostics_.errors() > 0) throw InvalidBlueprint();
  return queues;
}

}  // namespace slipway::commands
