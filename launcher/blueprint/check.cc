// Checks of a Deployment.
#include "launcher/blueprint/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

using expression::Step;
using expression::Traversal;
using expression::Value;
using source::Code;
using source::did_you_mean;

class ReferenceCheck {
 public:
  ReferenceCheck(const Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics) {}

  void run() {
    for (const auto& [name, variable] : deployment_.variables) outside_settings(variable.value);
    outside_settings(deployment_.validators);
    outside_settings(deployment_.backend_defaults);
    outside_settings(deployment_.providers);
    for (size_t g = 0; g < deployment_.groups.size(); ++g) {
      outside_settings(deployment_.groups[g].backend);
      outside_settings(deployment_.groups[g].providers);
      for (const Module& module : deployment_.groups[g].modules) check(module, g);
    }
  }

 private:
  void check(const Module& module, size_t group) {
    current_ = &module;
    for (const auto& [name, setting] : module.settings) {
      if (module.interface != nullptr && module.interface->input(name) == nullptr) {
        diagnostics_
            .error(Code::unknown_setting, setting.span,
                   fmt::format("module `{}` has no setting `{}`", module.id, name))
            .help(did_you_mean(name, module.interface->input_names()));
      }
      expression::for_each_reference(setting.value, [&](const Traversal& traversal, Span span) {
        reference(traversal, span, group);
      });
    }
    for (const WantedOutput& output : module.outputs) {
      if (module.interface != nullptr) has_output(module, output.name, output.span);
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

  void reference(const Traversal& traversal, Span span, size_t group) {
    const size_t wanted = traversal.root == "module" ? 2 : 1;
    const bool named = traversal.steps.size() >= wanted &&
                       std::all_of(traversal.steps.begin(),
                                   traversal.steps.begin() + static_cast<std::ptrdiff_t>(wanted),
                                   [](const Step& s) { return s.kind == Step::Kind::attribute; });
    if (traversal.root != "var" && traversal.root != "module") {
      diagnostics_
          .error(Code::bad_reference, span, fmt::format("there is no `{}` here", traversal.root))
          .help("within `((…))` variables are `var.NAME` and outputs `module.ID.OUTPUT`");
    } else if (!named) {
      diagnostics_.error(Code::bad_reference, span,
                         traversal.root == "var" ? "a variable is named `var.NAME`"
                                                 : "an output is named `module.ID.OUTPUT`");
    } else if (traversal.root == "var") {
      variable(traversal.steps[0]);
    } else {
      output(traversal, group);
    }
  }

  void variable(const Step& step) {
    if (deployment_.variables.contains(step.name) || step.name == "labels") return;
    diagnostics_
        .error(Code::unknown_variable, step.span,
               fmt::format("there is no variable `{}`", step.name))
        .help(did_you_mean(step.name, deployment_.variable_names()));
  }

  void output(const Traversal& traversal, size_t group) {
    const Step& id = traversal.steps[0];
    const Step& name = traversal.steps[1];
    const auto [module, module_group] = deployment_.find(id.name);
    if (module == nullptr) {
      std::vector<std::string> known = deployment_.module_ids();
      known.emplace_back("vars");
      diagnostics_
          .error(Code::unknown_module, id.span, fmt::format("there is no module `{}`", id.name))
          .help(did_you_mean(id.name, known));
    } else if (module == current_ && module->interface != nullptr &&
               module->interface->output(name.name) != nullptr) {
      diagnostics_.error(Code::bad_reference, id.span,
                         fmt::format("module `{}` needs itself", id.name));
    } else if (module_group > group) {
      diagnostics_
          .error(Code::later_group, id.span,
                 fmt::format("module `{}` is made by the later group `{}`", id.name,
                             deployment_.groups[module_group].name))
          .other(module->id_span, "defined here");
    } else if (module->interface != nullptr) {
      has_output(*module, name.name, name.span);
    }
  }

  void has_output(const Module& module, const std::string& name, Span span) {
    if (module.interface->output(name) != nullptr) return;
    diagnostics_
        .error(Code::unknown_output, span,
               fmt::format("module `{}` has no output `{}`", module.id, name))
        .help(did_you_mean(name, module.interface->output_names()));
  }

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  const Module* current_ = nullptr;  // whose settings are looked at
};

class SettingCheck {
 public:
  SettingCheck(const Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics), evaluation_(deployment, diagnostics) {}

  void run() {
    for (const auto& [name, variable] : deployment_.variables) evaluation_.variable(name);
    for (const Group& group : deployment_.groups) {
      for (const Module& module : group.modules) {
        if (module.interface != nullptr && !module.id.empty()) check(module);
      }
    }
    // A name that is misspelt elsewhere would look unused here.
    if (diagnostics_.errors() > 0) return;
    unused_variables();
    unused_modules();
  }

 private:
  void check(const Module& module) {
    for (const modules::Input& input : module.interface->inputs) {
      const auto setting = module.settings.find(input.name);
      if (setting == module.settings.end()) {
        if (input.required && !module.use_failed) missing(module, input);
        continue;
      }
      const Value& value = evaluation_.input(module, input.name);
      if (!input.gone.empty() && !value.is_null()) {
        diagnostics_
            .error(Code::rule_broken, setting->second.span,
                   fmt::format("`{}` of module `{}` is gone", input.name, module.id))
            .help(input.gone);
      }
      if (input.one_of.empty() || value.is_null() || value.is_unknown()) continue;
      const auto text = expression::text_of(value);
      if (text &&
          std::find(input.one_of.begin(), input.one_of.end(), *text) == input.one_of.end()) {
        std::string help = did_you_mean(*text, input.one_of);
        if (help.empty()) help = "one of: " + join(input.one_of, ", ");
        diagnostics_
            .error(Code::rule_broken, place(setting->second),
                   fmt::format("`{}` of module `{}` cannot be `{}`", input.name, module.id, *text))
            .help(std::move(help));
      }
    }
    for (const modules::Rule& rule : module.interface->rules) keep(module, rule);
    for (const modules::Output& output : module.interface->outputs) {
      evaluation_.output(module, output.name);
    }
  }

  void missing(const Module& module, const modules::Input& input) {
    diagnostics_
        .error(Code::missing_input, module.id_span,
               fmt::format("module `{}` needs the setting `{}`", module.id, input.name))
        .help(input.help.empty()
                  ? fmt::format("its type is {}", expression::to_text(input.type))
                  : fmt::format("{} ({})", input.help, expression::to_text(input.type)));
  }

  void keep(const Module& module, const modules::Rule& rule) {
    const auto setting = module.settings.find(rule.at);
    const Span span = setting == module.settings.end() ? module.id_span : place(setting->second);
    try {
      const Value kept = evaluation_.evaluate_in(module, rule.that);
      const bool* holds = kept.as<bool>();
      if (holds != nullptr && !*holds) {
        const std::string message = fmt::format("module `{}`: {}", module.id, rule.message);
        if (rule.warning) {
          diagnostics_.warning(Code::rule_broken, span, message);
        } else {
          diagnostics_.error(Code::rule_broken, span, message);
        }
      }
    } catch (const expression::ExpressionError& error) {
      evaluation_.say_within(module, rule.that, error);
    }
  }

  static Span place(const Setting& setting) {
    return setting.value->span && setting.origin == Origin::blueprint ? setting.value->span
                                                                      : setting.span;
  }

  void unused_modules() {
    std::set<std::string> used;
    for (const Group& group : deployment_.groups) {
      for (const Module& module : group.modules) {
        for (const Use& use : module.uses) used.insert(use.module);
        for (const auto& [name, setting] : module.settings) {
          expression::for_each_reference(setting.value, [&](const Traversal& traversal, Span) {
            if (traversal.root == "module" && !traversal.steps.empty()) {
              used.insert(traversal.steps[0].name);
            }
          });
        }
      }
    }
    for (const Group& group : deployment_.groups) {
      for (const Module& module : group.modules) {
        const bool alone = module.interface != nullptr && module.interface->must_be_used &&
                           !module.id.empty() && !used.contains(module.id);
        if (!alone) continue;
        diagnostics_.warning(Code::module_not_used, module.id_span,
                             fmt::format("nothing uses module `{}`", module.id));
      }
    }
  }

  void unused_variables() {
    const auto& skipped = deployment_.skipped_validators;
    if (std::find(skipped.begin(), skipped.end(), "test_deployment_variable_not_used") !=
        skipped.end()) {
      return;
    }
    std::set<std::string> used{"labels", "deployment_name", "project_id", "region", "zone"};
    const auto look = [&](const ExpressionPtr& expression) {
      if (!expression) return;
      expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
        if (traversal.root == "var" && !traversal.steps.empty())
          used.insert(traversal.steps[0].name);
      });
    };
    for (const auto& [name, variable] : deployment_.variables) look(variable.value);
    look(deployment_.validators);
    look(deployment_.backend_defaults);
    look(deployment_.providers);
    for (const Group& group : deployment_.groups) {
      look(group.backend);
      look(group.providers);
      for (const Module& module : group.modules) {
        for (const auto& [name, setting] : module.settings) look(setting.value);
      }
    }
    for (const auto& [name, variable] : deployment_.variables) {
      if (used.contains(name)) continue;
      diagnostics_.warning(Code::variable_not_used, variable.span,
                           fmt::format("nothing uses the variable `{}`", name));
    }
  }

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  Evaluation evaluation_;
};

}  // namespace

void check_references(const Deployment& deployment, source::Diagnostics& diagnostics) {
  ReferenceCheck(deployment, diagnostics).run();
}

void check_settings(const Deployment& deployment, source::Diagnostics& diagnostics) {
  SettingCheck(deployment, diagnostics).run();
}

}  // namespace slipway::blueprint
