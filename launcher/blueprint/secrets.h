// Which values of a Deployment are secrets: outputs that their module calls sensitive, and whatever
// is made from them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::blueprint {

// The inputs that an expression of a module's file is made from, also through the file's locals and
// outputs.
std::set<std::string> inputs_behind(const modules::Interface& interface,
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
