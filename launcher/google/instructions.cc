// Writes instructions.txt.
#include "launcher/google/instructions.h"

#include <fmt/core.h>

#include <map>
#include <vector>

#include "common/text.h"

namespace slipway::google {
namespace {

// "name" for a setting that is just "${var.name}"; otherwise empty.
std::string variable_in(const std::string& expression) {
  const std::string name = expression.substr(2, expression.size() - 3);
  if (!name.starts_with("var.") || name.find_first_of(" .[(", 4) != std::string::npos) return {};
  return name.substr(4);
}

class Instructions {
 public:
  explicit Instructions(const Definitions& definitions) : definitions_(definitions) {}

  std::string write() {
    text_ = fmt::format(
        "How to deploy `{}` from these files\n\n"
        "Review the files first. `slipway deploy` and `slipway destroy` with this folder's path "
        "run all\ncommands below, and resume after an interruption. To deploy by hand, run the "
        "commands in\nthis folder, in this order. You can use `tofu` instead of `terraform`.\n",
        definitions_.deployment);
    for (const GroupSteps& group : definitions_.groups) make(group);
    text_ += "\nHow to destroy it\n\n";
    bool images = false;
    for (size_t i = definitions_.groups.size(); i-- > 0;) {
      const GroupSteps& group = definitions_.groups[i];
      images = images || group.kind == "packer";
      if (group.kind == "packer") continue;
      text_ += fmt::format("  terraform -chdir={} destroy\n", shell_quote(group.name));
    }
    if (images) {
      text_ += "\nImages built by Packer remain until you run `gcloud compute images delete`.\n";
    }
    return text_;
  }

 private:
  void make(const GroupSteps& group) {
    const bool packer = group.kind == "packer";
    text_ += fmt::format("\nGroup {}: {}\n\n", group.name, packer ? "Packer" : "Terraform");
    inputs(group);
    if (!packer) {
      text_ += fmt::format("  terraform -chdir={0} init\n  terraform -chdir={0} apply\n",
                           shell_quote(group.name));
      return;
    }
    std::string options;
    if (!group.packer_values.empty()) options += " -var-file=" + shell_quote(group.packer_values);
    if (!group.inputs.empty()) options += fmt::format(" -var-file={}", packer_inputs);
    for (const char* verb : {"validate", "build"}) {
      text_ += fmt::format("  (cd {} && packer {}{} {})\n", shell_quote(group.name), verb, options,
                           shell_quote(group.packer_target));
    }
  }

  void inputs(const GroupSteps& group) {
    if (group.inputs.empty()) return;
    const bool packer = group.kind == "packer";
    std::map<std::string, std::vector<std::string>> members;  // of each earlier group
    for (const GroupSteps::Input& input : group.inputs) {
      for (const std::string& name : names_of(group, input.variable)) {
        members[input.from_group].push_back(
            fmt::format(R"("{}": ."{}".value)", name, input.variable));
      }
    }
    std::vector<std::string> commands;
    for (const auto& [from, wanted] : members) {
      commands.push_back(fmt::format("terraform -chdir={} output -json | jq '{{{}}}'",
                                     shell_quote(from), join(wanted, ", ")));
    }
    const std::string all =
        commands.size() == 1 ? commands[0] : "{ " + join(commands, "; ") + "; } | jq -s add";
    if (!commands.empty()) {
      text_ += fmt::format("  {} \\\n    > {}/{}\n", all, shell_quote(group.name),
                           packer ? packer_inputs : terraform_inputs);
    }
    for (const auto& [setting, expression] : group.late_settings) {
      if (!variable_in(expression).empty()) continue;
      text_ += fmt::format("  and set `{2}` in {0}/{1}, computed from the outputs: {3}\n",
                           group.name, packer_inputs, setting, expression);
    }
  }

  // The names of a variable in a group: a foreign Packer module has its own names.
  static std::vector<std::string> names_of(const GroupSteps& group, const std::string& variable) {
    if (group.packer_values.empty()) return {variable};
    std::vector<std::string> names;
    for (const auto& [setting, expression] : group.late_settings) {
      if (variable_in(expression) == variable) names.push_back(setting);
    }
    return names;
  }

  const Definitions& definitions_;
  std::string text_;
};

}  // namespace

std::string instructions(const Definitions& definitions) {
  return Instructions(definitions).write();
}

}  // namespace slipway::google
