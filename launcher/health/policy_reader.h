// Reads a health policy file and overlays it on a policy.
#pragma once

#include <string>

#include "launcher/health/policy.h"
#include "launcher/health/policy_values.h"
#include "launcher/source/yaml.h"

namespace slipway::health {

// Overlays a policy with a file. The catalog's file is the first, and defines what exists. A user's
// file may change that, and add mounts, daemons, disks and Xids.
class PolicyReader : PolicyValues {
 public:
  PolicyReader(Policy& policy, source::Diagnostics& diagnostics, bool is_first)
      : PolicyValues(diagnostics, is_first), policy_(policy) {}

  void read(const source::Node& root);

 private:
  void read_key(const source::Entry& entry);
  void read_findings(const source::Node& node);
  void read_xids(const source::Node& node);
  void read_xid_sources(const source::Node& node);
  void read_presets(const source::Node& node);
  void read_preset(const source::Node& node);
  void read_recovery_actions(const source::Node& node);
  void read_gpu_models(const source::Node& node);
  // policy_kernel_log.cc
  void read_kernel_log(const source::Node& node);
  void read_kernel_pattern(const source::Node& node);
  bool is_example(const source::Node& example, const KernelPattern& pattern);
  void read_program_records(const source::Node& node);
  bool read_form(const source::Node& node, RecordForm& form);
  std::vector<std::string> keys_of_findings() const;
  void read_breaker(const source::Node& node);
  void read_tell(const source::Node& node);         // policy_tell.cc
  void read_deep_checks(const source::Node& node);  // policy_deep.cc
  using RangeOf = std::optional<NumberRange> (*)(std::string_view name);
  void read_numbers(const source::Node& node, std::string_view what, RangeOf range_of,
                    std::map<std::string, double>& into);

  void read_rule(const source::Node& node, std::string_view what, Rule& rule);
  void read_escalation(const source::Node& node, Escalation& escalation);
  void read_gpu_model(const source::Node& node, const std::string& name, GpuModel& model);
  void read_xid_row(const source::Node& node, XidRow& row);

  Policy& policy_;
};

}  // namespace slipway::health
