// What the variables, inputs and outputs of a Deployment are, as far as it is known.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "launcher/blueprint/deployment.h"
#include "launcher/blueprint/resource_set.h"
#include "launcher/expression/evaluate.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Values are computed when they are asked for and kept. What cannot be computed is said once, at
// its place in the blueprint, and is unknown from then on.
class Evaluation {
 public:
  Evaluation(const Deployment& deployment, source::Diagnostics& diagnostics);
  ~Evaluation();

  const Deployment& deployment() const { return deployment_; }

  const expression::Value& variable(const std::string& name);

  // An input as the module gets it: the setting's value converted to the input's type, or the
  // default.
  const expression::Value& input(const Module& module, const std::string& name);

  const expression::Value& output(const Module& module, const std::string& name);

  // An expression of the blueprint: over var and module.
  expression::Value evaluate(const ExpressionPtr& expression);

  // An expression of a module's file: over input, given (whether an input is set), local, output
  // and module.id.
  expression::Value evaluate_in(const Module& module, const ExpressionPtr& expression);

  // What the module's file calls `slurm`: what a back end tells it of the cluster.
  void provide_slurm(const Module& module, expression::Value slurm);

  // What a resource of the module's file becomes. Throws ExpressionError once, when that cannot be
  // told; it is open from then on.
  const ResourceSet& resource_set(const Module& module, const modules::Resource& resource);

  // The attributes of a member of that set. Throws ExpressionError.
  expression::Value resource_body(const Module& module, const modules::Resource& resource,
                                  const ResourceSet::Member& member);

  // An expression of a module's file that has no value: said where the blueprint sets what it is
  // made from, and not at all after another error, which may have caused it.
  void say_within(const Module& module, const ExpressionPtr& expression,
                  const expression::ExpressionError& error);

 private:
  class BlueprintScope;
  class ModuleScope;
  using Key = std::pair<const Module*, std::string>;

  template <class Compute>
  const expression::Value& once(std::map<Key, expression::Value>& values, const Key& key,
                                const expression::Value& while_computing, Compute compute);

  expression::Value compute_input(const Module& module, const std::string& name);
  Span variable_behind(const ExpressionPtr& value) const;

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  std::map<Key, expression::Value> variables_, inputs_, outputs_, locals_;
  std::map<std::pair<const Module*, const modules::Resource*>, ResourceSet> resource_sets_;
  std::map<const Module*, expression::Value> slurm_;
  std::set<std::string> said_;  // of a variable that modules take by its name: once is enough
};

}  // namespace slipway::blueprint
