// Traces the value of a setting or a variable back to what was written, for `slipway explain`.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/blueprint/secrets.h"
#include "launcher/commands/part.h"

namespace slipway::commands {

// One step back, and the steps before it.
struct Step {
  enum class Kind {
    written,    // in the module's settings
    used,       // `use` of a module with an output of this name
    joined,     // a list: several uses, in the order of the list
    output,     // an output that an expression names
    variable,   // a deployment variable
    module_id,  // the module's own id
    computed,   // from other settings; the place is the rule that decides
    standard,   // the module's default
    replaced,   // a definition that another one replaced
    missing,    // nothing sets it
  };
  Kind kind = Kind::missing;
  std::string name;  // "homefs.network_id", "vars.zone"
  std::string text;  // for people: "`use` of `network` gives its output `network_id`"
  source::Span place;
  std::optional<expression::Value> value;  // as far as it is known before deployment
  bool broken = false;                     // it has no value because of an error
  bool secret = false;                     // do not show the value
  std::vector<Step> from = {};             // the steps it is made from
  size_t defaults = 0;  // further inputs it is made from, which have their defaults
  size_t untold = 0;    // further settings it is made from: too many to follow
};

// A setting or a variable, where its value comes from, and the sources that lost.
struct Explanation {
  Step step;
  std::string type;  // as Terraform writes it; empty for a variable
  std::string help;
  std::vector<Step> lost = {};
  std::vector<std::string> readers = {};  // of a variable: "homefs.zone"
};

// Follows `use`, outputs, inputs and variables until it reaches something that is written down.
// Nothing is followed twice.
class Explainer {
 public:
  Explainer(const source::Diagnostics& diagnostics, const blueprint::Deployment& deployment);

  // `input` is one of the module's inputs or, for an unknown module, one of its settings. `path`
  // leads to a part of it. Both throw Error if that part does not exist.
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
  // `path` is followed within what the expression refers to.
  void follow_references(const expression::ExpressionPtr& expression, const Path& path, Step& step);
  void follow_inputs(const blueprint::Module& module, const expression::ExpressionPtr& expression,
                     const Path& path, Step& step);
  std::vector<Step> lost(const blueprint::Module& module, const std::string& input);
  // Appends the definitions that were replaced, as the last steps.
  void add_replaced(const std::vector<source::Span>& replaced, Step& step) const;
  const modules::Output* output_of(const std::string& module, const std::string& name) const;
  // Gives the step that part of the value, unless it is unknown because of an error.
  void take(const expression::Value& value, const Path& path, Step& step);
  expression::Value value_of(const expression::ExpressionPtr& expression);
  std::string where(source::Span span) const;

  const source::Sources& sources_;
  const blueprint::Deployment& deployment_;
  source::Diagnostics discarded_;  // discarded: the compiler has reported the same
  blueprint::Evaluation evaluation_{deployment_, discarded_};
  blueprint::Secrets secrets_{deployment_};
  std::set<std::string> followed_;
  bool asked_ = false;  // the user named the part: it has to exist
  size_t outputs_ = 0;  // how many outputs the current path passed through
};

}  // namespace slipway::commands
