// Finds the values of a Deployment that are secret: sensitive outputs, and values that depend on
// them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::blueprint {

// The inputs on which an expression of a module file depends, directly or through locals and
// outputs.
std::set<std::string> inputs_used_by(const modules::Interface& interface,
                                     const expression::ExpressionPtr& expression);

class Secrets {
 public:
  explicit Secrets(const Deployment& deployment) : deployment_(deployment) {}

  // An expression of the blueprint.
  bool in(const expression::ExpressionPtr& expression);
  bool output(const std::string& module, const std::string& name);

 private:
  const Deployment& deployment_;
  std::map<std::string, bool> known_;
};

}  // namespace slipway::blueprint
