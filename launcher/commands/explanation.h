// Why a setting or a variable has the value that it has: the whole way back to what somebody wrote.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/commands/part.h"
#include "launcher/blueprint/secrets.h"

namespace slipway::commands {

// One step back, and what stands behind it.
struct Step {
  enum class Kind {
    written,    // in the module's settings
    used,       // `use` of a module that has an output of this name
    joined,     // a list: several uses, in the order of the list
    output,     // an output that an expression names
    variable,   // a deployment variable
    module_id,  // the module's own id
    computed,   // from what else is set; the place is what decides
    standard,   // the module's default
    replaced,   // a definition that another one took the place of
    missing,    // nothing gives it
  };
  Kind kind = Kind::missing;
  std::string name;  // "homefs.network_id", "vars.zone"
  std::string text;  // what it is, for people: "`use` of `network` gives its output `network_id`"
  source::Span place;
  std::optional<expression::Value> value;  // as far as it is known before deployment
  bool broken = false;                     // an error is why it has no value
  bool secret = false;                     // its value is not to be shown
  std::vector<Step> from = {};             // what it is made from
  size_t defaults = 0;  // inputs that it is made from besides, and that have their defaults
  size_t untold = 0;    // settings that it is made from besides: too many for a long way back
};

// A setting or a variable, how it came about, and what else would have given a value.
struct Explanation {
  Step step;
  std::string type;  // as Terraform writes it; empty for a variable
  std::string help;
  std::vector<Step> lost = {};
  std::vector<std::string> readers = {};  // of a variable: "homefs.zone"
};

// The steps go through `use`, outputs, inputs and variables until something is written down. What
// was followed once is named again, but not followed again.
class Explainer {
 public:
  Explainer(const source::Diagnostics& diagnostics, const blueprint::Deployment& deployment);

  // `input` is one of the module's inputs or, when nothing is known of the module, one of its
  // settings. `path` leads to a part of it. Both throw Error when there is no such part.
  Explanation setting(const blueprint::Module& module, const std::string& input, const Path& path);
  Explanation variable(const std::string& name, const Path& path);

 private:
  Step follow_setting(const blueprint::Module& module, const std::string& input,
                      const Path& path = {});
  void follow_uses(const blueprint::Module& module, const std::string& input,
                   const blueprint::Setting& setting, Path path, Step& step);
  Step follow_use(const blueprint::Module& module, const std::string& used,
                  const std::string& output, const Path& path);
  Step follow_output(const std::string& module, const std::string& output, const Path& path = {});
  Step follow_variable(const std::string& name, const Path& path = {});
  // `path` leads on within the expression, where that names something that is known elsewhere.
  void follow_references(const expression::ExpressionPtr& expression, const Path& path, Step& step);
  void follow_inputs(const blueprint::Module& module, const expression::ExpressionPtr& expression,
                     const Path& path, Step& step);
  std::vector<Step> lost(const blueprint::Module& module, const std::string& input);
  // The definitions that something took the place of, as the last steps.
  void add_replaced(const std::vector<source::Span>& replaced, Step& step) const;
  const modules::Output* output_of(const std::string& module, const std::string& name) const;
  // Gives the step that part of the value, unless an error is why it is unknown.
  void take(const expression::Value& value, const Path& path, Step& step);
  expression::Value value_of(const expression::ExpressionPtr& expression);
  std::string where(source::Span span) const;

  const source::Sources& sources_;
  const blueprint::Deployment& deployment_;
  source::Diagnostics heard_;  // what evaluation says was said by the compiler before
  blueprint::Evaluation evaluation_{deployment_, heard_};
  blueprint::Secrets secrets_{deployment_};
  std::set<std::string> followed_;
  bool asked_ = false;  // the part is one that the user named, and has to be there
  size_t outputs_ = 0;  // that the way leads through to where it is now
};

}  // namespace slipway::commands
