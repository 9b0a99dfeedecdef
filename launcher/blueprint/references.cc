// Checks references.
#include "launcher/blueprint/references.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "launcher/blueprint/version_check.h"
#include "launcher/expression/notation.h"

namespace slipway::blueprint {
namespace {

using expression::Step;
using expression::Traversal;
using source::Code;
using source::did_you_mean;

class ReferenceCheck {
 public:
  ReferenceCheck(const Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics) {}

  void run() {
    for (const auto& [name, variable] : deployment_.variables) outside_settings(variable.value);
    for (const Validator& validator : deployment_.validators) {
      for (const auto& [name, input] : validator.inputs) outside_settings(input.value);
    }
    check(deployment_.backend_defaults, deployment_.providers);
    for (size_t g = 0; g < deployment_.groups.size(); ++g) {
      check(deployment_.groups[g].backend, deployment_.groups[g].providers);
      for (const Module& module : deployment_.groups[g].modules) check(module, g);
    }
  }

  void outside_settings(const ExpressionPtr& expression) {
    if (!expression) return;
    expression::for_each_reference(expression, [&](const Traversal& traversal, Span span) {
      if (traversal.root == "module") {
        diagnostics_.error(Code::no_module_here, span,
                           "outputs of modules can only be used in settings of modules");
      } else {
        reference(traversal, span, 0);
      }
    });
  }

 private:
  void check(const std::optional<Backend>& backend, const std::vector<Provider>& providers) {
    if (backend) outside_settings(backend->configuration);
    for (const Provider& provider : providers) outside_settings(provider.configuration);
  }

  void check(const Module& module, size_t group) {
    current_ = &module;
    for (const auto& [name, setting] : module.settings) {
      if (module.interface != nullptr && module.interface->input(name) == nullptr) {
        diagnostics_
            .error(Code::unknown_setting, setting.span,
                   fmt::format("module `{}` has no setting `{}`", module.id, name))
            .help(did_you_mean(name, module.interface->input_names()))
            .help(setting_history(deployment_, module, name));
      }
      expression::for_each_reference(setting.value, [&](const Traversal& traversal, Span span) {
        reference(traversal, span, group);
      });
    }
    for (const WantedOutput& output : module.outputs) {
      if (module.interface != nullptr) has_output(module, output.name, output.span);
    }
    for (const Use& use : module.depends_on) depends(module, use, group);
  }

  void depends(const Module& module, const Use& use, size_t group) {
    const auto [other, other_group] = deployment_.find(use.module);
    if (other == nullptr) {
      if (!deployment_.left_out.contains(use.module)) unknown(use.module, use.span);
    } else if (other == &module) {
      diagnostics_.error(Code::bad_reference, use.span,
                         fmt::format("module `{}` depends on itself", module.id));
    } else if (other_group > group) {
      later(*other, other_group, use.span);
    }
  }

  void reference(const Traversal& traversal, Span span, size_t group) {
    if (traversal.root == "var" && is_attribute(traversal, 0)) {
      variable(traversal.steps[0]);
    } else if (traversal.root == "module" && is_attribute(traversal, 0)) {
      output(traversal, span, group);
    } else if (traversal.root == "var" || traversal.root == "module") {
      diagnostics_.error(Code::bad_reference, span,
                         traversal.root == "var" ? "write a variable as `var.NAME`"
                                                 : "write an output as `module.ID.OUTPUT`");
    } else {
      diagnostics_
          .error(Code::bad_reference, span, fmt::format("there is no `{}` here", traversal.root))
          .help("in `((…))`, write variables as `var.NAME` and outputs as `module.ID.OUTPUT`");
    }
  }

  void variable(const Step& step) {
    if (deployment_.variables.contains(step.name) || step.name == "labels") return;
    if (deployment_.variables_lost) return;
    diagnostics_
        .error(Code::unknown_variable, step.span,
               fmt::format("there is no variable `{}`", step.name))
        .help(did_you_mean(step.name, deployment_.variable_names()));
  }

  void output(const Traversal& traversal, Span span, size_t group) {
    const Step& id = traversal.steps[0];
    const auto [module, module_group] = deployment_.find(id.name);
    if (module == nullptr) {
      unknown(id.name, id.span);
      return;
    }
    if (!is_attribute(traversal, 1)) {
      diagnostics_
          .error(Code::bad_reference, span, fmt::format("`{}` is not a value by itself", id.name))
          .help(fmt::format("name the output: `{}.NAME`", id.name));
      return;
    }
    const Step& name = traversal.steps[1];
    if (module == current_ && module->interface != nullptr &&
        module->interface->output(name.name) != nullptr) {
      diagnostics_.error(Code::bad_reference, id.span,
                         fmt::format("module `{}` depends on itself", id.name));
    } else if (module_group > group) {
      later(*module, module_group, id.span);
    } else if (module->interface != nullptr) {
      has_output(*module, name.name, name.span);
    }
  }

  void unknown(const std::string& id, Span span) {
    if (const auto left_out = deployment_.left_out.find(id);
        left_out != deployment_.left_out.end()) {
      diagnostics_
          .error(Code::left_out, span,
                 fmt::format("module `{}` is excluded from this deployment", id))
          .other(left_out->second, "by its `when`");
      return;
    }
    if (deployment_.instances.contains(id)) return;  // reported when the instances were created
    if (id == "each") {
      diagnostics_.error(Code::bad_reference, span,
                         "`each` can be used only in a module with `for_each`");
      return;
    }
    if (expression::has_expression(id)) return;  // reported when it was read
    std::vector<std::string> known = deployment_.module_ids();
    known.emplace_back("vars");
    diagnostics_.error(Code::unknown_module, span, fmt::format("there is no module `{}`", id))
        .help(did_you_mean(id, known));
  }

  void later(const Module& module, size_t group, Span span) {
    diagnostics_
        .error(Code::later_group, span,
               fmt::format("module `{}` is in the later group `{}`", module.id,
                           deployment_.groups[group].name))
        .other(module.id_span, "defined here");
  }

  void has_output(const Module& module, const std::string& name, Span span) {
    if (module.interface->output(name) != nullptr) return;
    diagnostics_
        .error(Code::unknown_output, span,
               fmt::format("module `{}` has no output `{}`", module.id, name))
        .help(module.interface->outputs.empty()
                  ? module.interface->kind == "packer"
                        ? "a module that builds an image has no outputs"
                        : "it has no outputs"
                  : did_you_mean(name, module.interface->output_names()));
  }

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  const Module* current_ = nullptr;  // the module being checked
};

}  // namespace

bool is_attribute(const Traversal& traversal, size_t step) {
  return traversal.steps.size() > step && traversal.steps[step].kind == Step::Kind::attribute;
}

void check_references(const Deployment& deployment, source::Diagnostics& diagnostics) {
  ReferenceCheck(deployment, diagnostics).run();
}

bool check_variables_only(const Deployment& deployment, const ExpressionPtr& expression,
                          source::Diagnostics& diagnostics) {
  const size_t before = diagnostics.errors();
  ReferenceCheck(deployment, diagnostics).outside_settings(expression);
  return diagnostics.errors() == before;
}

}  // namespace slipway::blueprint
