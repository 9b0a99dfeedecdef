// Checks deployment variables and adds labels.
#include "launcher/blueprint/variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "launcher/blueprint/evaluation.h"
#include "launcher/blueprint/names.h"
#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

using expression::Literal;
using expression::ObjectExpression;
using expression::Traversal;
using expression::Value;
using source::Code;

// The step with the name of the variable to which a reference refers, or nullptr.
const expression::Step* variable_step(const Traversal& traversal) {
  return traversal.root == "var" && !traversal.steps.empty() ? &traversal.steps[0] : nullptr;
}

// Maximum length of a chain of variables that each depend on the next.
constexpr size_t chain_limit = 200;

// Depth-first search through the references: a variable that occurs again on its own path is in a
// cycle.
class CycleSearch {
 public:
  CycleSearch(const Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics) {}

  // False if a chain is too long.
  bool run() {
    for (const auto& [name, variable] : deployment_.variables) enter(name);
    return !too_long_;
  }

 private:
  // The length of the longest chain from here.
  size_t enter(const std::string& name) {
    const auto variable = deployment_.variables.find(name);
    if (variable == deployment_.variables.end() || too_long_) return 0;
    if (const auto done = done_.find(name); done != done_.end()) return done->second;
    const auto begin = std::find(path_.begin(), path_.end(), name);
    if (begin != path_.end()) {
      report(begin);
      return 0;
    }
    std::set<std::string> needed;
    expression::for_each_reference(variable->second.value, [&](const Traversal& traversal, Span) {
      if (const auto* step = variable_step(traversal)) needed.insert(step->name);
    });
    path_.push_back(name);
    size_t length = 1;
    if (path_.size() <= chain_limit) {
      for (const std::string& next : needed) length = std::max(length, 1 + enter(next));
    }
    if (!too_long_ && std::max(length, path_.size()) > chain_limit) {
      too_long_ = true;
      diagnostics_.error(Code::variable_cycle, variable->second.span,
                         fmt::format("a chain of more than {} variables that depend on each other "
                                     "includes `{}`",
                                     chain_limit, name));
    }
    path_.pop_back();
    done_.emplace(name, length);
    return length;
  }

  void report(std::vector<std::string>::const_iterator begin) {
    std::string way;
    for (auto name = begin; name != path_.end(); ++name) way += fmt::format("`{}` → ", *name);
    diagnostics_.error(
        Code::variable_cycle, deployment_.variables.at(*begin).span,
        fmt::format("the variable `{}` depends on itself: {}`{}`", *begin, way, *begin));
  }

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  std::vector<std::string> path_;
  std::map<std::string, size_t> done_;  // with the length of the chain from each
  bool too_long_ = false;
};

void check_name(Deployment& deployment, source::Diagnostics& diagnostics) {
  const auto variable = deployment.variables.find("deployment_name");
  if (variable == deployment.variables.end()) {
    if (deployment.variables_lost || !deployment.blueprint_name_span)
      return;  // not a blueprint at all
    diagnostics
        .error(Code::missing_key, deployment.blueprint_name_span,
               "the blueprint needs the variable `deployment_name`")
        .help("it names the cluster and everything in it");
    return;
  }
  const size_t errors = diagnostics.errors();
  const Value value = Evaluation(deployment, diagnostics).variable("deployment_name");
  const auto* name = value.as<std::string>();
  if (name != nullptr && is_deployment_name(*name)) {
    deployment.name = *name;
    return;
  }
  const bool literal = variable->second.value->as<Literal>() != nullptr;
  if (diagnostics.errors() == errors && !(literal && (value.is_null() || value.is_unknown()))) {
    diagnostics
        .error(Code::bad_name, variable->second.value->span,
               name == nullptr || literal
                   ? "this cannot be a deployment's name"
                   : fmt::format("`{}` cannot be a deployment's name", *name))
        .help(
            "use at most 63 lowercase letters, digits, `_` and `-`, with at least one of a to z, "
            "and "
            "no `-` first");
  }
  // Avoids further diagnostics.
  variable->second.value =
      expression::make(variable->second.value->span, Literal{Value("deployment")});
}

void check_cluster_name(const Deployment& deployment, source::Diagnostics& diagnostics) {
  const auto variable = deployment.variables.find("slurm_cluster_name");
  if (variable == deployment.variables.end()) return;
  const auto* literal = variable->second.value->as<Literal>();
  const auto* name = literal == nullptr ? nullptr : literal->value.as<std::string>();
  if (name == nullptr || is_cluster_name(*name)) return;
  diagnostics
      .error(Code::bad_name, literal ? variable->second.value->span : variable->second.span,
             fmt::format("`{}` cannot be a Slurm cluster's name", *name))
      .help("use at most 20 lowercase letters, digits and `-`, with a letter first");
}

// True for the labels of an expanded blueprint, so that expanding again changes nothing.
bool has_our_labels(const expression::Expression& labels) {
  const auto* call = labels.as<expression::Call>();
  const bool merged = call != nullptr && call->function == "merge" && !call->arguments.empty();
  const auto* object = (merged ? *call->arguments[0] : labels).as<ObjectExpression>();
  if (object == nullptr || object->items.size() < 2) return false;
  const auto is = [&](size_t i, const char* name) {
    const auto* key = object->items[i].key->as<Literal>();
    return key != nullptr && key->value == Value(name);
  };
  return is(0, "ghpc_blueprint") && is(1, "ghpc_deployment") &&
         object->items[1].value->as<Literal>() == nullptr;
}

}  // namespace

bool check_variables(Deployment& deployment, source::Diagnostics& diagnostics) {
  for (const auto& [name, variable] : deployment.variables) {
    const auto* literal = variable.value->as<Literal>();
    if (literal != nullptr && literal->value.is_null()) {
      diagnostics
          .error(Code::variable_not_set, variable.span,
                 fmt::format("the variable `{}` has no value", name))
          .help(fmt::format("set it here, in a deployment file, or with `--vars {}=…`", name));
    }
  }
  const size_t errors = diagnostics.errors();
  const bool short_enough = CycleSearch(deployment, diagnostics).run();
  // A name that depends on itself has no value.
  if (short_enough && diagnostics.errors() == errors) check_name(deployment, diagnostics);
  check_cluster_name(deployment, diagnostics);
  return short_enough;
}

void add_labels(Deployment& deployment) {
  const auto item = [](const char* key, ExpressionPtr value) {
    return expression::ObjectItem{expression::make({}, Literal{Value(key)}), std::move(value),
                                  false};
  };
  ObjectExpression ours;
  ours.items.push_back(
      item("ghpc_blueprint", expression::make({}, Literal{Value(deployment.blueprint_name)})));
  ours.items.push_back(item("ghpc_deployment", expression::reference("var", {"deployment_name"})));
  Variable& labels = deployment.variables["labels"];
  if (labels.value && has_our_labels(*labels.value)) return;
  if (!labels.value) {
    ours.form = expression::Form::yaml;
    labels.value = expression::make({}, std::move(ours));
    return;
  }
  ours.form = expression::Form::lines;
  expression::Call merge{"merge", {}, {}, false};
  merge.arguments.push_back(expression::make({}, std::move(ours)));
  merge.arguments.push_back(as_lines(labels.value));
  labels.value = expression::make(labels.value->span, std::move(merge));
}

// A YAML mapping in HCL's form: sorted by key, with one item per line.
ExpressionPtr as_lines(const ExpressionPtr& expression) {
  const auto* object = expression->as<ObjectExpression>();
  if (object == nullptr || object->form != expression::Form::yaml) return expression;
  ObjectExpression sorted = *object;
  sorted.form = expression::Form::lines;
  const auto key = [](const expression::ObjectItem& item) {
    return expression::text_of(item.key->as<Literal>()->value).value_or("");
  };
  std::sort(sorted.items.begin(), sorted.items.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return expression::make(expression->span, std::move(sorted));
}

}  // namespace slipway::blueprint
