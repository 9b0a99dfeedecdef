// The registry of diagnostic codes.
#include "launcher/source/codes.h"

#include <array>

#include "launcher/source/warning_codes.h"

namespace slipway::source {
namespace {

constexpr std::array table = std::to_array<CodeInfo>({
    {Code::yaml_syntax, "E0101", "the file is not valid YAML"},
    {Code::duplicate_key, "E0102", "a duplicate key in a mapping"},
    {Code::second_document, "E0103", "more than one YAML document in a file"},
    {Code::key_not_text, "E0104", "a key that is a list or a mapping"},
    {Code::not_text, "E0105", "a byte that is not allowed in a text file"},
    {Code::too_many_aliases, "E0106", "aliases that expand to too many values"},
    {Code::hcl_syntax, "E0107", "the file is not valid HCL"},
    {Code::unknown_key, "E0201", "an unknown key"},
    {Code::missing_key, "E0202", "a required key is missing"},
    {Code::unknown_setting, "E0203", "a setting that the module does not have"},
    {Code::wrong_shape, "E0204", "a value of the wrong kind, such as a list instead of a mapping"},
    {Code::bad_name, "E0205", "a name with characters that are not allowed"},
    {Code::duplicate_id, "E0206", "two things with the same name"},
    {Code::unknown_source, "E0207", "a module that does not exist"},
    {Code::unknown_use, "E0208", "`use` of a module that does not exist"},
    {Code::later_group, "E0209", "something that a later group creates"},
    {Code::unknown_variable, "E0210", "a variable that does not exist"},
    {Code::unknown_module, "E0211", "a reference to a module that does not exist"},
    {Code::unknown_output, "E0212", "an output that the module does not have"},
    {Code::variable_not_set, "E0213", "a variable without a value"},
    {Code::variable_cycle, "E0214", "variables that depend on each other"},
    {Code::missing_input, "E0215", "a required setting is missing"},
    {Code::type_mismatch, "E0216", "a value of the wrong type"},
    {Code::rule_broken, "E0217", "a setting breaks a rule of its module"},
    {Code::no_expression_here, "E0218", "an expression where it is not allowed"},
    {Code::no_module_here, "E0219", "a module reference outside settings"},
    {Code::bad_assignment, "E0220", "a variable on the command line that is not NAME=VALUE"},
    {Code::use_without_effect, "E0221", "`use` of a module that provides nothing"},
    {Code::variable_not_used, "E0222", "an unused variable"},
    {Code::module_not_used, "W0223", "an unused module that does nothing on its own"},
    {Code::module_not_fetched, "E0224", "a remote module that has not been fetched"},
    {Code::module_cycle, "E0225", "modules that depend on each other"},
    {Code::no_such_file, "E0226", "a file that does not exist"},
    {Code::mixed_kinds, "E0227", "a group with both Terraform and Packer modules"},
    {Code::left_out, "E0228", "a module that its `when` excludes"},
    {Code::bad_instance, "E0229", "an instance of a `for_each` module"},
    {Code::expression_syntax, "E0301", "an expression with a syntax error"},
    {Code::bad_reference, "E0302", "a malformed reference"},
    {Code::unknown_function, "E0303", "a function that does not exist"},
    {Code::cannot_evaluate, "E0304", "an expression that cannot be evaluated"},
    {Code::no_controller, "E0401", "not exactly one Slurm controller"},
    {Code::partition_without_nodeset, "E0402", "a partition without nodes"},
    {Code::unknown_machine_type, "E0403", "a machine type that is not in the catalogue"},
    {Code::two_of_one_name, "E0404", "two things in the cluster with the same name"},
    {Code::no_model, "E0405", "something that the cluster model does not support"},
    {Code::too_many_networks, "E0406", "a machine with more networks than interfaces"},
    {Code::gpu_interfaces_without_network, "W0407", "GPU interfaces without a network"},
    {Code::no_local_cluster, "E0408", "a cluster that cannot run on this machine"},
    {Code::machine_type_not_listed, "W0409", "a machine type that is newer than the catalogue"},
    {Code::no_resources, "E0501", "a module that cannot be created on Google Cloud"},
    {Code::setting_without_effect, "W0502", "a setting without effect on Google Cloud"},
    {Code::unknown_place, "E0503", "a region or zone that Google Cloud does not have"},
    {Code::machine_not_offered, "E0504", "a machine type that its zone does not offer"},
    {Code::no_program, "E0505", "a program needed to deploy is missing"},
    {Code::not_applied, "E0506", "Terraform or Packer failed"},
    {Code::zone_not_listed, "W0507", "a zone that the catalogue does not list"},
    {Code::bad_job_script, "E0601", "a job script that sbatch does not accept"},
    {Code::no_equivalent, "E0602", "a part of a job that has no equivalent outside Slurm"},
    {Code::bad_module_file, "E0901", "an invalid module file"},
    {Code::bad_catalogue, "E0902", "an invalid catalogue file"},
    {Code::bad_health_policy, "E0903", "an invalid health policy file"},
    // As warnings:
    {Code::rule_broken, "W0230", "a setting that its module advises against"},
    {Code::no_equivalent, "W0603", "a part of a job that works differently outside Slurm"},
});
constexpr size_t enumerated = static_cast<size_t>(Code::bad_health_policy) + 1;

constexpr bool in_order() {
  for (size_t i = 0; i < enumerated; ++i) {
    if (table[i].code != static_cast<Code>(i)) return false;
  }
  return true;
}
static_assert(in_order(), "the table must have the order of the enumeration");

}  // namespace

std::span<const CodeInfo> codes() {
  return table;
}

std::string_view name(Code code) {
  return table[static_cast<size_t>(code)].name;
}

std::string_view shown_code(const Diagnostic& diagnostic) {
  for (size_t i = enumerated; i < table.size() && diagnostic.severity == Severity::warning; ++i) {
    if (table[i].code == diagnostic.code) return table[i].name;
  }
  return name(diagnostic.code);
}

}  // namespace slipway::source
