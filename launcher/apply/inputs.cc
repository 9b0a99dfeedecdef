// Passes outputs of earlier groups to the variables of a group.
#include "launcher/apply/inputs.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "launcher/apply/terraform.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/json.h"
#include "launcher/google/instructions.h"

namespace slipway::apply {
namespace {

using expression::Value;

// The variables of a group, as `var.NAME`.
class Variables : public expression::Scope {
 public:
  explicit Variables(const Json& values) : values_(values) {}

  Found find(const expression::Traversal& traversal, source::Span span) const override {
    if (traversal.root == "var" && !traversal.steps.empty() &&
        values_.contains(traversal.steps[0].name)) {
      return {expression::from_json(values_[traversal.steps[0].name].dump()), 1};
    }
    throw expression::ExpressionError(source::Code::bad_reference, span, "this is not a variable");
  }

 private:
  const Json& values_;
};

// The value of "${…}".
Json evaluated(const std::string& text, const Variables& variables) {
  const auto tree = expression::parse(std::string_view(text).substr(2, text.size() - 3));
  return Json::parse(expression::to_json(expression::evaluate(*tree, variables)));
}

}  // namespace

const Json& Outputs::value(const std::string& group, const std::string& output) {
  auto known = known_.find(group);
  if (known == known_.end()) {
    const google::GroupSteps* steps = session_.folder.find(group);
    if (steps == nullptr) throw Error(fmt::format("there is no group `{}`", group));
    known = known_.emplace(group, Terraform(session_, *steps).outputs()).first;
  }
  const auto found = known->second.find(output);
  if (found == known->second.end()) {
    throw Error(fmt::format("group `{}` has no output `{}` yet: deploy it first", group, output));
  }
  return found->at("value");
}

Json inputs_of(const google::GroupSteps& group, Outputs& outputs) {
  Json values = Json::object();
  for (const google::GroupSteps::Input& input : group.inputs) {
    values[input.variable] = outputs.value(input.from_group, input.variable);
  }
  if (group.packer_values.empty()) return values;
  Json settings = Json::object();
  const Variables variables(values);
  for (const auto& [setting, text] : group.late_settings) {
    try {
      settings[setting] = evaluated(text, variables);
    } catch (const Error& error) {
      throw Error(fmt::format("cannot compute the setting `{}` of group `{}`: {}", setting,
                              group.name, error.what()));
    }
  }
  return settings;
}

std::filesystem::path inputs_file(const Folder& folder, const google::GroupSteps& group) {
  return folder.group(group.name) /
         (group.kind == "packer" ? google::packer_inputs : google::terraform_inputs);
}

void write_inputs(const Folder& folder, const google::GroupSteps& group, const Json& inputs) {
  if (group.inputs.empty()) return;
  write_file(inputs_file(folder, group), inputs.dump(2) + "\n", 0600);
}

}  // namespace slipway::apply
