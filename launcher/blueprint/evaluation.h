// Evaluates the variables, inputs and outputs of a Deployment, as far as they are known.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "launcher/blueprint/deployment.h"
#include "launcher/blueprint/resource_set.h"
#include "launcher/expression/evaluate.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Values are computed on demand and cached. An error is reported once, at its place in the
// blueprint, and the value is unknown from then on.
class Evaluation {
 public:
  Evaluation(const Deployment& deployment, source::Diagnostics& diagnostics);
  ~Evaluation();

  const Deployment& deployment() const { return deployment_; }

  const expression::Value& variable(const std::string& name);

  // The value of an input: the setting's value converted to the input's type, or the default.
  const expression::Value& input(const Module& module, const std::string& name);

  const expression::Value& output(const Module& module, const std::string& name);

  // Evaluates an expression of the blueprint, over var and module.
  expression::Value evaluate(const ExpressionPtr& expression);

  // Evaluates an expression of a module file, over input, given (whether an input is set), local,
  // output and module.id.
  expression::Value evaluate_in(const Module& module, const ExpressionPtr& expression);

  // Sets the value of `slurm` in the module file, which describes the cluster.
  void provide_slurm(const Module& module, expression::Value slurm);

  // The members of a resource of the module file. Throws ExpressionError once if they cannot be
  // computed; the set is `open` from then on.
  const ResourceSet& resource_set(const Module& module, const modules::Resource& resource);

  // The attributes of a member of that set. Throws ExpressionError.
  expression::Value resource_body(const Module& module, const modules::Resource& resource,
                                  const ResourceSet::Member& member);

  // Reports that an expression of a module file cannot be evaluated, at the setting in the
  // blueprint that it depends on. Does nothing after another error, which may be the cause.
  void report_in_module(const Module& module, const ExpressionPtr& expression,
                        const expression::ExpressionError& error);
  // How often that was called.
  size_t failures() const { return failures_; }

 private:
  class BlueprintScope;
  class ModuleScope;
  // By owner, such as a module, and name. References to a value stay valid.
  using Values =
      std::unordered_map<const void*, std::map<std::string, expression::Value, std::less<>>>;

  template <class Start, class Compute>
  static const expression::Value& once(Values& values, const void* owner, const std::string& name,
                                       Start while_computing, Compute compute);
  bool is_constant(const modules::Interface& interface, const std::string& local);

  expression::Value compute_input(const Module& module, const std::string& name);
  Span variable_value_span(const ExpressionPtr& value) const;

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  Values variables_, inputs_, outputs_, locals_;
  std::map<std::pair<const modules::Interface*, std::string>, bool> constants_;  // locals
  std::map<std::pair<const Module*, const modules::Resource*>, ResourceSet> resource_sets_;
  std::map<const Module*, expression::Value> slurm_;
  size_t failures_ = 0;
  std::set<std::string> reported_;  // errors about variables that modules use by their name
};

}  // namespace slipway::blueprint
