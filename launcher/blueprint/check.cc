// Checks of a Deployment.
#include "launcher/blueprint/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/blueprint/names.h"
#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

using expression::Traversal;
using expression::Value;
using source::Code;
using source::did_you_mean;

class SettingCheck {
 public:
  SettingCheck(const Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics), evaluation_(deployment, diagnostics) {}

  void run() {
    for (const auto& [name, variable] : deployment_.variables) evaluation_.variable(name);
    labels();
    for (const Group& group : deployment_.groups) {
      kinds(group);
      for (const Module& module : group.modules) {
        if (module.interface != nullptr && !module.id.empty()) check(module);
      }
    }
  }

 private:
  // Limits of Google Cloud: https://cloud.google.com/compute/docs/labeling-resources
  void labels() {
    const auto variable = deployment_.variables.find("labels");
    if (variable == deployment_.variables.end()) return;
    const auto wrong = [&](const std::string& message, std::string rule) {
      diagnostics_.error(Code::bad_name, variable->second.span, message).help(std::move(rule));
    };
    const Value& value = evaluation_.variable("labels");
    const auto* labels = value.as<Value::Object>();
    if (labels == nullptr) {
      if (!value.is_unknown()) {
        diagnostics_.error(Code::type_mismatch, variable->second.span,
                           fmt::format("`labels` is a mapping, not {}", describe(value)));
      }
      return;
    }
    if (labels->size() > 64)
      wrong(fmt::format("{} labels are too many", labels->size()), "64 at most");
    for (const auto& [key, label] : *labels) {
      if (key == "ghpc_blueprint" || key == "ghpc_deployment") continue;  // of names, said there
      if (!is_label_key(key)) {
        wrong(fmt::format("`{}` cannot be a label", key),
              "lower case letters, digits, `_` and `-`, a letter first, 63 at most");
      }
      const auto text = expression::text_of(label);
      if (text && !text->empty() && !is_label_value(*text)) {
        wrong(fmt::format("the label `{}` cannot be `{}`", key, *text),
              "lower case letters, digits, `_` and `-`, 63 at most");
      }
    }
  }

  // A group is built by one program: Terraform, or Packer, which builds one image.
  void kinds(const Group& group) {
    for (const Module& module : group.modules) {
      if (module.interface != nullptr && !module.kind.empty() &&
          module.kind != module.interface->kind) {
        diagnostics_.error(Code::mixed_kinds, module.id_span,
                           fmt::format("module `{}` is of the kind `{}`, not `{}`", module.id,
                                       module.interface->kind, module.kind));
      }
      const Module& first = group.modules[0];
      if (&module == &first || module.kind.empty() || first.kind.empty() ||
          (module.kind == first.kind && module.kind != "packer"))
        continue;
      diagnostics_
          .error(Code::mixed_kinds, module.id_span,
                 module.kind == first.kind
                     ? fmt::format("group `{}` builds more than one image", group.name)
                     : fmt::format("group `{}` has modules of the kinds `{}` and `{}`", group.name,
                                   first.kind, module.kind))
          .other(first.id_span, "the first module of the group")
          .help("move this module to a group of its own");
    }
  }

  // What an output can never become, whatever its value will be.
  void output_type(const Module& module, const modules::Input& input, const Setting& setting) {
    const auto* reference = setting.value->as<expression::Traversal>();
    if (reference == nullptr || reference->root != "module" || reference->steps.size() != 2) return;
    const Module* other = deployment_.find(reference->steps[0].name).module;
    const modules::Output* output = other == nullptr || other->interface == nullptr
                                        ? nullptr
                                        : other->interface->output(reference->steps[1].name);
    if (output == nullptr || expression::can_become(output->type, input.type)) return;
    diagnostics_
        .error(Code::type_mismatch, place(setting),
               fmt::format("`{}` of module `{}` is {}, but the output is {}", input.name, module.id,
                           to_text(input.type), to_text(output->type)))
        .other(output->span, "declared here");
  }

  void check(const Module& module) {
    for (const modules::Input& input : module.interface->inputs) {
      const auto setting = module.settings.find(input.name);
      if (setting == module.settings.end()) {
        if (input.required && !module.use_failed) missing(module, input);
        continue;
      }
      output_type(module, input, setting->second);
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

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  Evaluation evaluation_;
};

}  // namespace

void check_settings(const Deployment& deployment, source::Diagnostics& diagnostics) {
  SettingCheck(deployment, diagnostics).run();
}

}  // namespace slipway::blueprint
