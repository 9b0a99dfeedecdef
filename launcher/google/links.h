// What flows between modules, as Terraform has to write it. The blueprint knows a module's output
// as module.ID.OUTPUT; in Terraform it is
//   of a module of the library, in the same group   what the output is made from
//   of a foreign module, in the same group          the same
//   of an earlier group                             the variable OUTPUT_ID of this group
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
    size_t group = 0;  // that makes it
  };
  using Outputs = std::map<std::string, Output>;  // by the name that it has between groups

  Links(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
        source::Diagnostics& diagnostics);

  // The value as the group can write it. Throws ExpressionError when that is too much to write.
  expression::Value resolve(const expression::Value& value, size_t group);

  // An output of a module, seen from its own group. Throws ExpressionError.
  const expression::Value& output(const blueprint::Module& module, const std::string& name);

  // What values of this group have been resolved to need from earlier ones.
  const Outputs& variables(size_t group) const { return variables_[group]; }

  // What later groups need of this one.
  const Outputs& wanted(size_t group) const { return wanted_[group]; }

 private:
  expression::ExpressionPtr linked(const expression::Traversal& traversal, size_t group);
  void need(const Output& output, const std::string& between_groups, size_t group);

  const blueprint::Deployment& deployment_;
  blueprint::Evaluation& evaluation_;
  source::Diagnostics& diagnostics_;
  std::vector<Outputs> variables_, wanted_;
  std::map<std::pair<const blueprint::Module*, std::string>, expression::Value> outputs_;
  size_t depth_ = 0;  // of outputs that are made from others
};

}  // namespace slipway::google
