// The registry of diagnostic codes. A code never changes its meaning, and a retired code is not
// reused.
#pragma once

#include <span>
#include <string_view>

namespace slipway::source {

enum class Code {
  // 01: the text of a file
  yaml_syntax,
  duplicate_key,
  second_document,
  key_not_text,
  not_text,
  too_many_aliases,
  hcl_syntax,
  // 02: names, and how a blueprint uses them
  unknown_key,
  missing_key,
  unknown_setting,
  wrong_shape,
  bad_name,
  duplicate_id,
  unknown_source,
  unknown_use,
  later_group,
  unknown_variable,
  unknown_module,
  unknown_output,
  variable_not_set,
  variable_cycle,
  missing_input,
  type_mismatch,
  rule_broken,
  no_expression_here,
  no_module_here,
  bad_assignment,
  use_without_effect,
  variable_not_used,
  module_not_used,
  module_not_fetched,
  module_cycle,
  no_such_file,
  mixed_kinds,
  left_out,
  bad_instance,
  // 03: expressions
  expression_syntax,
  bad_reference,
  unknown_function,
  cannot_evaluate,
  // 04: the cluster that a blueprint describes
  no_controller,
  partition_without_nodeset,
  unknown_machine_type,
  two_of_one_name,
  no_model,
  too_many_networks,
  gpu_interfaces_without_network,
  no_local_cluster,
  machine_type_not_listed,
  // 05: Google Cloud: creating and deploying
  no_resources,
  setting_without_effect,
  unknown_place,
  machine_not_offered,
  no_program,
  not_applied,
  zone_not_listed,
  // 06: job scripts
  bad_job_script,
  no_equivalent,
  // 09: module files, the catalogue and the health policy, Slipway's or a site's
  bad_module_file,
  bad_catalogue,
  bad_health_policy,
};

struct CodeInfo {
  Code code;
  std::string_view name;   // "E0203"
  std::string_view title;  // heading of its page in docs/diagnostics
};

// Every code, in the order of the enumeration.
std::span<const CodeInfo> codes();

std::string_view name(Code code);

}  // namespace slipway::source
