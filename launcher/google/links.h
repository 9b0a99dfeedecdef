// Translates references to outputs from the blueprint to Terraform. A blueprint refers to an output
// as module.ID.OUTPUT; in Terraform it becomes
//   for a library module in the same group   the expression of the output
//   for a foreign module in the same group   the same reference
//   for a module in an earlier group         the variable OUTPUT_ID of this group
#pragma once

#include <map>
#include <set>
#include <string>

#include "launcher/blueprint/evaluation.h"

namespace slipway::google {

class Links {
 public:
  struct Output {
    const blueprint::Module* module = nullptr;
    std::string name;  // of the output
    size_t group = 0;  // of the module
  };
  using Outputs = std::map<std::string, Output>;  // by name between groups, OUTPUT_ID

  Links(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
        source::Diagnostics& diagnostics);

  // The value with references that are valid in the group. Throws ExpressionError if it is too
  // large.
  expression::Value resolve(expression::Value value, size_t group);

  // The value of a module's output, with references that are valid in its own group. Throws
  // ExpressionError.
  const expression::Value& output(const blueprint::Module& module, const std::string& name);

  // The outputs of earlier groups that the values resolved in this group need.
  const Outputs& variables(size_t group) const { return variables_[group]; }

  // The outputs of this group that later groups need.
  const Outputs& wanted(size_t group) const { return wanted_[group]; }

 private:
  expression::ExpressionPtr linked(const expression::Traversal& traversal, size_t group);
  void need(const Output& output, const std::string& between_groups, size_t group);

  const blueprint::Deployment& deployment_;
  blueprint::Evaluation& evaluation_;
  source::Diagnostics& diagnostics_;
  std::vector<Outputs> variables_, wanted_;
  std::map<std::pair<const blueprint::Module*, std::string>, expression::Value> outputs_;
  size_t depth_ = 0;  // of outputs that depend on other outputs
};

}  // namespace slipway::google
