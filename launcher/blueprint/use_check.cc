// Finds what is unused in a blueprint.
#include "launcher/blueprint/use_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace slipway::blueprint {
namespace {

using expression::Traversal;
using source::Code;

class UseCheck {
 public:
  UseCheck(const Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics) {}

  void run() {
    collect();
    if (const auto level = level_of("test_module_not_used"); level != Level::ignore) {
      uses_without_effect(level);
    }
    if (const auto level = level_of("test_deployment_variable_not_used"); level != Level::ignore) {
      unused_variables(level);
    }
    unused_modules();
  }

 private:
  Level level_of(std::string_view validator) const {
    return blueprint::level_of(deployment_, validator);
  }

  source::Diagnostic& report(Level level, Code code, Span span, std::string message) {
    return level == Level::error ? diagnostics_.error(code, span, std::move(message))
                                 : diagnostics_.warning(code, span, std::move(message));
  }

  void collect() {
    for (const auto& [name, variable] : deployment_.variables) mark_used(variable.value);
    for (const Validator& validator : deployment_.validators) {
      for (const auto& [name, input] : validator.inputs) mark_used(input.value);
    }
    mark_used(deployment_.backend_defaults, deployment_.providers);
    for (const ExpressionPtr& condition : deployment_.also_read) mark_used(condition);
    for (const Group& group : deployment_.groups) {
      mark_used(group.backend, group.providers);
      for (const Module& module : group.modules) {
        for (const auto& [name, setting] : module.settings) mark_used(setting.value);
        for (const Use& use : module.uses) modules_.insert(use.module);
        for (const Use& use : module.depends_on) modules_.insert(use.module);
      }
    }
  }

  void mark_used(const std::optional<Backend>& backend, const std::vector<Provider>& providers) {
    if (backend) mark_used(backend->configuration);
    for (const Provider& provider : providers) mark_used(provider.configuration);
  }

  void mark_used(const ExpressionPtr& expression) {
    if (!expression) return;
    expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
      if (traversal.steps.empty()) return;
      if (traversal.root == "var") variables_.insert(traversal.steps[0].name);
      if (traversal.root == "module") modules_.insert(traversal.steps[0].name);
    });
  }

  void uses_without_effect(Level level) {
    for (const Group& group : deployment_.groups) {
      for (const Module& module : group.modules) {
        std::set<std::string> named;
        for (const auto& [name, setting] : module.settings) {
          expression::for_each_reference(setting.value, [&](const Traversal& traversal, Span) {
            if (traversal.root == "module" && !traversal.steps.empty()) {
              named.insert(traversal.steps[0].name);
            }
          });
        }
        // An expanded blueprint has explicit references to the outputs.
        for (const Use& use : module.uses) {
          if (!named.contains(use.module)) without_effect(level, module, use);
        }
      }
    }
  }

  void without_effect(Level level, const Module& module, const Use& use) {
    report(level, Code::use_without_effect, use.span,
           fmt::format("module `{}` uses nothing from `{}`", module.id, use.module))
        .help("it has no settings with the names of these outputs, or they are already set");
  }

  void unused_variables(Level level) {
    for (const auto& [name, variable] : deployment_.variables) {
      if (variables_.contains(name)) continue;
      report(level, Code::variable_not_used, variable.span,
             fmt::format("nothing uses the variable `{}`", name))
          .help(source::did_you_mean(name, used_variables()));
    }
  }

  std::vector<std::string> used_variables() const { return {variables_.begin(), variables_.end()}; }

  void unused_modules() {
    for (const Group& group : deployment_.groups) {
      for (const Module& module : group.modules) {
        const bool alone = module.interface != nullptr && module.interface->must_be_used &&
                           !module.id.empty() && !modules_.contains(module.id);
        if (!alone) continue;
        diagnostics_.warning(Code::module_not_used, module.id_span,
                             fmt::format("nothing uses module `{}`", module.id));
      }
    }
  }

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  // The used variables. These are always used.
  std::set<std::string> variables_{"labels", "deployment_name", "project_id", "region", "zone"};
  std::set<std::string> modules_;
};

}  // namespace

void check_use(Deployment& deployment, source::Diagnostics& diagnostics) {
  if (diagnostics.errors() == 0) UseCheck(deployment, diagnostics).run();
  // After expansion, variables that only `when` and `for_each` use look unused.
  if (!deployment.also_read.empty()) {
    skip_validator(deployment, "test_deployment_variable_not_used");
  }
}

Level level_of(const Deployment& deployment, std::string_view validator) {
  const bool skip = std::any_of(deployment.validators.begin(), deployment.validators.end(),
                                [&](const Validator& v) { return v.skip && v.name == validator; });
  return skip ? Level::ignore : deployment.validation_level;
}

void skip_validator(Deployment& deployment, const std::string& name) {
  for (Validator& validator : deployment.validators) {
    if (validator.name != name) continue;
    validator.skip = true;
    return;
  }
  deployment.validators.push_back({name, {}, {}, true});
}

}  // namespace slipway::blueprint
