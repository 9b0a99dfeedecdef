// Checks the settings, types and rules of a wired Deployment.
#include "launcher/blueprint/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/blueprint/attribute_check.h"
#include "launcher/blueprint/names.h"
#include "launcher/blueprint/storage_check.h"
#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

using expression::Traversal;
using expression::Value;
using source::Code;

class SettingCheck {
 public:
  SettingCheck(Evaluation& evaluation, KnownModules* known, source::Diagnostics& diagnostics)
      : deployment_(evaluation.deployment()),
        diagnostics_(diagnostics),
        evaluation_(evaluation),
        known_(known) {}

  void run() {
    if (known_ != nullptr) known_->begin_check();
    for (const auto& [name, variable] : deployment_.variables) evaluation_.variable(name);
    labels();
    for (const Group& group : deployment_.groups) {
      kinds(group);
      for (const Module& module : group.modules) {
        if (module.interface == nullptr || module.id.empty()) continue;
        check(module);
        check_attributes(module, diagnostics_);
        check_storage(module, evaluation_, diagnostics_);
      }
    }
  }

 private:
  // Limits of Google Cloud: https://cloud.google.com/compute/docs/labeling-resources
  void labels() {
    const auto variable = deployment_.variables.find("labels");
    if (variable == deployment_.variables.end()) return;
    const auto wrong = [&](const std::string& message, std::string rule, Span place) {
      diagnostics_.error(Code::bad_name, place ? place : variable->second.span, message)
          .help(std::move(rule));
    };
    const Value& value = evaluation_.variable("labels");
    const auto* labels = value.as<Value::Object>();
    if (labels == nullptr) {
      if (!value.is_unknown()) {
        diagnostics_.error(Code::type_mismatch, variable->second.span,
                           fmt::format("`labels` must be a mapping, not {}", describe(value)));
      }
      return;
    }
    if (labels->size() > 64)
      wrong(fmt::format("{} labels are too many", labels->size()), "at most 64 are allowed", {});
    for (const auto& [key, label] : *labels) {
      if (key == "ghpc_blueprint" || key == "ghpc_deployment")
        continue;  // names, checked elsewhere
      if (!is_label_key(key)) {
        wrong(fmt::format("`{}` cannot be a label", key),
              "use at most 63 lowercase letters, digits, `_` and `-`, with a letter first",
              written(variable->second.value, key).first);
      }
      const auto text = expression::text_of(label);
      if (text && !text->empty() && !is_label_value(*text)) {
        wrong(fmt::format("the label `{}` cannot be `{}`", key, *text),
              "use at most 63 lowercase letters, digits, `_` and `-`",
              written(variable->second.value, key).second);
      }
    }
  }

  // The places of a label's key and value, in a mapping that may be merged with our labels.
  static std::pair<Span, Span> written(const ExpressionPtr& labels, const std::string& label) {
    const auto* call = labels->as<expression::Call>();
    const ExpressionPtr& theirs = call == nullptr ? labels : call->arguments.back();
    const auto* object = theirs->as<expression::ObjectExpression>();
    if (object == nullptr) return {};
    for (const expression::ObjectItem& item : object->items) {
      const auto* key = item.key->as<expression::Literal>();
      if (key != nullptr && key->value == Value(label)) return {item.key->span, item.value->span};
    }
    return {};
  }

  // A group is deployed by one program: Terraform, or Packer, which builds one image.
  void kinds(const Group& group) {
    for (const Module& module : group.modules) {
      if (module.interface != nullptr && !module.kind.empty() &&
          module.kind != module.interface->kind) {
        diagnostics_.error(Code::mixed_kinds, module.id_span,
                           fmt::format("module `{}` has the kind `{}`, not `{}`", module.id,
                                       module.interface->kind, module.kind));
      }
      const Module& first = group.modules[0];
      const std::string kind = kind_of(module);
      const std::string first_kind = kind_of(first);
      if (&module == &first || kind.empty() || first_kind.empty() ||
          (kind == first_kind && kind != "packer"))
        continue;
      diagnostics_
          .error(Code::mixed_kinds, module.id_span,
                 kind == first_kind
                     ? fmt::format("group `{}` builds more than one image", group.name)
                     : fmt::format("group `{}` has modules of the kinds `{}` and `{}`", group.name,
                                   first_kind, kind))
          .other(first.id_span, "first module of the group")
          .help("move this module to a separate group");
    }
  }

  // The actual kind of a module, whatever the blueprint says.
  static const std::string& kind_of(const Module& module) {
    return module.interface == nullptr ? module.kind : module.interface->kind;
  }

  // Reports a setting whose type no value of the output can have.
  void output_type(const Module& module, const modules::Input& input, const Setting& setting) {
    const auto* reference = setting.value->as<expression::Traversal>();
    if (reference == nullptr || reference->root != "module" || reference->steps.size() != 2) return;
    const Module* other = deployment_.find(reference->steps[0].name).module;
    const modules::Output* output = other == nullptr || other->interface == nullptr
                                        ? nullptr
                                        : other->interface->output(reference->steps[1].name);
    if (output == nullptr || expression::can_become(output->type, input.type)) return;
    // A known value is checked instead of its type.
    if (!evaluation_.output(*other, output->name).is_unknown()) return;
    diagnostics_
        .error(Code::type_mismatch, place(setting),
               fmt::format("`{}` of module `{}` has type {}, but the output has type {}",
                           input.name, module.id, to_text(input.type), to_text(output->type)))
        .other(output->span, "declared here");
  }

  void check(const Module& module) {
    for (const modules::Input& input : module.interface->inputs) {
      const auto setting = module.settings.find(input.name);
      if (setting == module.settings.end()) {
        if (input.required && !module.use_failed && !deployment_.variables_lost &&
            !deployment_.has_hosts(module.id)) {
          missing(module, input);
        }
        continue;
      }
      output_type(module, input, setting->second);
      const Value& value = evaluation_.input(module, input.name);
      if (!input.gone.empty() && !value.is_null()) {
        diagnostics_
            .error(Code::rule_broken, setting->second.span,
                   fmt::format("`{}` of module `{}` was removed", input.name, module.id))
            .help(input.gone);
      }
      if (input.one_of.empty() || value.is_null() || value.is_unknown()) continue;
      const auto text = expression::text_of(value);
      if (text &&
          std::find(input.one_of.begin(), input.one_of.end(), *text) == input.one_of.end()) {
        diagnostics_
            .error(Code::rule_broken, place(setting->second),
                   fmt::format("`{}` of module `{}` cannot be `{}`", input.name, module.id, *text))
            .help_choose(*text, input.one_of);
      }
    }
    // Its rules and outputs are about the cloud's machine.
    if (deployment_.has_hosts(module.id)) return;
    const auto digest = known_ == nullptr ? std::nullopt : known_->digest(module, evaluation_);
    if (digest && known_->is_right(*digest)) return;
    const auto trouble = [&] {
      return evaluation_.failures() + diagnostics_.errors() + diagnostics_.warnings();
    };
    const size_t before = trouble();
    for (const modules::Rule& rule : module.interface->rules) keep(module, rule);
    for (const modules::Output& output : module.interface->outputs) {
      evaluation_.output(module, output.name);
    }
    if (digest && trouble() == before) known_->add(*digest);
  }

  void missing(const Module& module, const modules::Input& input) {
    if (input.name == "deployment_name") return;  // reported for the blueprint
    diagnostics_
        .error(Code::missing_input, module.id_span,
               fmt::format("module `{}` needs the setting `{}`", module.id, input.name))
        .help(input.help.empty()
                  ? fmt::format("its type is {}", expression::to_text(input.type))
                  : fmt::format("{} ({})", input.help, expression::to_text(input.type)))
        .help(provider_hint(module, input));
  }

  // A hint that names the first module whose `use` would set the input.
  std::string provider_hint(const Module& module, const modules::Input& input) const {
    const size_t last = deployment_.find(module.id).group;
    for (size_t g = 0; g <= last; ++g) {
      for (const Module& other : deployment_.groups[g].modules) {
        const modules::Output* output =
            other.interface == nullptr || other.id == module.id || other.id.empty()
                ? nullptr
                : other.interface->output(input.name);
        if (output == nullptr || !expression::can_become(output->type, input.type)) continue;
        return fmt::format("adding `{}` to `use` sets it", other.id);
      }
    }
    return {};
  }

  void keep(const Module& module, const modules::Rule& rule) {
    if (rule.validator && deployment_.validation_level == Level::ignore) return;
    const auto setting = module.settings.find(rule.at);
    const Span span = setting == module.settings.end() ? module.id_span : place(setting->second);
    try {
      const Value kept = evaluation_.evaluate_in(module, rule.that);
      const bool* holds = kept.as<bool>();
      if (holds != nullptr && !*holds) {
        const std::string message = fmt::format("module `{}`: {}", module.id, rule.message);
        if (rule.warning || (rule.validator && deployment_.validation_level == Level::warning)) {
          diagnostics_.warning(Code::rule_broken, span, message);
        } else {
          diagnostics_.error(Code::rule_broken, span, message);
        }
      }
    } catch (const expression::ExpressionError& error) {
      evaluation_.report_in_module(module, rule.that, error);
    }
  }

  static Span place(const Setting& setting) {
    return setting.value->span && setting.origin == Origin::blueprint ? setting.value->span
                                                                      : setting.span;
  }

  const Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  Evaluation& evaluation_;
  KnownModules* known_;  // may be null
};

}  // namespace

void check_settings(Evaluation& evaluation, KnownModules* known, source::Diagnostics& diagnostics) {
  SettingCheck(evaluation, known, diagnostics).run();
}

}  // namespace slipway::blueprint
