// Resolves `when` and `for_each`, and applies overrides of settings.
#include "launcher/blueprint/instances.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/blueprint/each.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/blueprint/names.h"
#include "launcher/blueprint/references.h"

namespace slipway::blueprint {
namespace {

using expression::ExpressionError;
using expression::Literal;
using expression::Step;
using expression::Traversal;
using expression::Tuple;
using expression::Value;
using source::Code;

// Maximum number of instances of a module: far more than a cluster has, far less than what would be
// slow.
constexpr size_t instance_limit = 1000;

class Instances {
 public:
  Instances(Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics), evaluation_(deployment, diagnostics) {}

  void run() {
    for (Group& group : deployment_.groups) {
      std::vector<Module> made;
      for (Module& module : group.modules) make(std::move(module), made);
      group.modules = std::move(made);
    }
    if (!deployment_.instances.empty()) name_instances();
    for (Group& group : deployment_.groups) {
      for (Module& module : group.modules) {
        std::erase_if(module.uses, [&](const Use& use) { return left_out(use); });
        std::erase_if(module.depends_on, [&](const Use& use) { return left_out(use); });
      }
    }
    std::erase_if(deployment_.groups, [](const Group& group) { return group.modules.empty(); });
  }

 private:
  void make(Module module, std::vector<Module>& made) {
    for (const ExpressionPtr& condition : {module.when, module.for_each}) {
      if (condition) deployment_.also_read.push_back(condition);
    }
    if (!module.for_each) {
      if (is_included(module)) {
        made.push_back(std::move(module));
      } else {
        remember_reads(module);
      }
      return;
    }
    const auto items = each_of(module);
    if (!items) {
      deployment_.instances[module.id];
      failed_.insert(module.id);
      return;
    }
    std::vector<std::string>& ids = deployment_.instances[module.id];
    remember_reads(module);
    for (const Each& each : *items) {
      Module instance = instance_of(module, each);
      if (!is_included(instance)) continue;
      ids.push_back(instance.id);
      made.push_back(std::move(instance));
    }
  }

  // Remembers what a module reads before it is excluded or replaced by instances.
  void remember_reads(const Module& module) {
    for (const auto& [name, setting] : module.settings) {
      deployment_.also_read.push_back(setting.value);
    }
  }

  bool left_out(const Use& use) const { return deployment_.left_out.contains(use.module); }

  // Whether the module's `when` is true. Reports an error and returns true if that is not known.
  bool is_included(const Module& module) {
    if (!module.when) return true;
    const auto value = value_of(module.when, module, "when");
    if (!value) return true;
    const bool* holds = value->as<bool>();
    if (holds == nullptr) {
      diagnostics_.error(Code::type_mismatch, module.when->span,
                         fmt::format("`when` of module `{}` must be true or false, not {}",
                                     module.id, describe(*value)));
      return true;
    }
    if (!*holds) deployment_.left_out.emplace(module.id, module.when->span);
    return *holds;
  }

  // A value that must be known before deployment; nothing, and a diagnostic, if it is not.
  std::optional<Value> value_of(const ExpressionPtr& expression, const Module& module,
                                std::string_view key) {
    if (!check_variables_only(deployment_, expression, diagnostics_)) return std::nullopt;
    try {
      Value value = evaluation_.evaluate(expression);
      if (value.is_known()) return value;
      if (depends_on_unset(expression)) return std::nullopt;  // already reported
      diagnostics_.error(
          Code::cannot_evaluate, expression->span,
          fmt::format("`{}` of module `{}` must be known before deployment", key, module.id));
    } catch (const ExpressionError& error) {
      report(error, expression->span, diagnostics_);
    }
    return std::nullopt;
  }

  // Whether the expression could not be read, or depends on a variable without a value.
  bool depends_on_unset(const ExpressionPtr& expression) {
    std::vector<ExpressionPtr> needed{expression};
    std::set<std::string> seen;
    for (size_t i = 0; i < needed.size(); ++i) {
      const ExpressionPtr next = needed[i];  // the list grows
      const auto* literal = next->as<Literal>();
      if (literal != nullptr && (literal->value.is_null() || literal->value.is_unknown())) {
        return true;
      }
      expression::for_each_reference(next, [&](const Traversal& traversal, Span) {
        if (traversal.root != "var" || traversal.steps.empty()) return;
        const auto variable = deployment_.variables.find(traversal.steps[0].name);
        if (variable != deployment_.variables.end() && seen.insert(variable->first).second) {
          needed.push_back(variable->second.value);
        }
      });
    }
    return false;
  }

  std::optional<std::vector<Each>> each_of(const Module& module) {
    const auto value = value_of(module.for_each, module, "for_each");
    if (!value) return std::nullopt;
    std::vector<Each> items;
    if (const auto* object = value->as<Value::Object>()) {
      for (const auto& [key, member] : *object) items.push_back({key, member});
    } else if (const auto* list = value->as<Value::List>()) {
      for (size_t i = 0; i < list->size(); ++i) {
        const auto text = expression::text_of((*list)[i]);
        items.push_back({text.value_or(std::to_string(i)), (*list)[i]});
      }
    } else {
      diagnostics_.error(
          Code::type_mismatch, module.for_each->span,
          fmt::format("`for_each` of module `{}` must be a list or a mapping, not {}", module.id,
                      describe(*value)));
      return std::nullopt;
    }
    return sound(module, items) ? std::optional(std::move(items)) : std::nullopt;
  }

  bool sound(const Module& module, const std::vector<Each>& items) {
    const auto wrong = [&](const std::string& message) {
      diagnostics_.error(Code::bad_instance, module.for_each->span, message);
      return false;
    };
    if (items.size() > instance_limit) {
      return wrong(fmt::format("`for_each` of module `{}` has {} items, more than {}", module.id,
                               items.size(), instance_limit));
    }
    std::vector<std::string> keys;
    for (const Each& each : items) {
      const std::string id = module.id + "-" + each.key;
      if (!is_module_id(id)) {
        return wrong(fmt::format("`{}` in `for_each` cannot be part of a module's id", each.key));
      }
      if (std::find(keys.begin(), keys.end(), each.key) != keys.end()) {
        return wrong(
            fmt::format("`for_each` of module `{}` has the item `{}` twice", module.id, each.key));
      }
      keys.push_back(each.key);
    }
    for (const Each& each : items) {
      const std::string id = module.id + "-" + each.key;
      if (const Module* other = deployment_.find(id).module) {
        diagnostics_
            .error(Code::duplicate_id, module.id_span,
                   fmt::format("an instance of module `{}` gets the id `{}`", module.id, id))
            .other(other->id_span, "this module has the same id");
        return false;
      }
    }
    return true;
  }

  Module instance_of(const Module& module, const Each& each) {
    Module instance = module;
    instance.made_by = module.id;
    instance.id = module.id + "-" + each.key;
    instance.for_each = nullptr;
    const auto fill = [&](ExpressionPtr& expression) {
      if (!expression) return;
      try {
        expression = substitute(expression, each);
      } catch (const ExpressionError& error) {
        report(error, expression->span, diagnostics_)
            .other(module.for_each->span, fmt::format("for the item `{}`", each.key));
        expression = failed(expression);
      }
    };
    fill(instance.when);
    for (auto& [name, setting] : instance.settings) fill(setting.value);
    for (std::vector<Use>* list : {&instance.uses, &instance.depends_on}) {
      for (Use& use : *list) {
        if (!use.name) continue;
        fill(use.name);
        const auto* literal = use.name->as<Literal>();
        const auto* text = literal == nullptr ? nullptr : literal->value.as<std::string>();
        use.module = text == nullptr ? use.module : *text;
        use.name = nullptr;
      }
    }
    return instance;
  }

  // Replaces an expression that cannot be evaluated, so that it causes no further diagnostics.
  static ExpressionPtr failed(const ExpressionPtr& expression) {
    return expression::make(expression->span, Literal{expression::Unknown{expression, {}}});
  }

  // Replaces references to modules with `for_each` by references to their instances.
  void name_instances() {
    for (Group& group : deployment_.groups) {
      for (Module& module : group.modules) {
        module.use_failed =
            std::any_of(module.uses.begin(), module.uses.end(),
                        [&](const Use& use) { return failed_.contains(use.module); });
        module.uses = named(module.uses);
        module.depends_on = named(module.depends_on);
        for (auto& [name, setting] : module.settings) {
          setting.value = expression::rewrite(
              setting.value,
              [&](const Traversal& traversal, Span span) { return instance(traversal, span); });
        }
      }
    }
  }

  std::vector<Use> named(const std::vector<Use>& uses) const {
    std::vector<Use> result;
    for (const Use& use : uses) {
      const auto instances = deployment_.instances.find(use.module);
      if (instances == deployment_.instances.end()) {
        result.push_back(use);
        continue;
      }
      for (const std::string& id : instances->second) result.push_back({id, use.span});
    }
    return result;
  }

  ExpressionPtr instance(const Traversal& traversal, Span span) {
    if (traversal.root != "module" || traversal.steps.empty()) return nullptr;
    const std::string& name = traversal.steps[0].name;
    const auto instances = deployment_.instances.find(name);
    if (instances == deployment_.instances.end() || failed_.contains(name)) return nullptr;
    const Step* which = traversal.steps.size() > 1 ? &traversal.steps[1] : nullptr;
    if (which != nullptr && which->kind == Step::Kind::splat) {
      Tuple all;
      for (const std::string& id : instances->second) all.items.push_back(of(traversal, id, span));
      return expression::make(span, std::move(all));
    }
    if (which != nullptr && which->kind == Step::Kind::index) {
      std::optional<std::string> text;
      try {
        text = expression::text_of(evaluation_.evaluate(which->key));
      } catch (const ExpressionError& error) {
        report(error, which->key->span, diagnostics_);
        return nullptr;
      }
      if (text) {
        const std::string id = name + "-" + *text;
        if (std::find(instances->second.begin(), instances->second.end(), id) !=
                instances->second.end() ||
            deployment_.left_out.contains(id)) {
          return of(traversal, id, span);
        }
        diagnostics_
            .error(Code::bad_instance, span,
                   fmt::format("module `{}` has no instance `{}`", name, *text))
            .help(keys_help(name, instances->second));
        return nullptr;
      }
    }
    diagnostics_
        .error(Code::bad_instance, span,
               fmt::format("module `{}` has {} instances", name, instances->second.size()))
        .help(fmt::format("write `{}[KEY].OUTPUT` for one of them or `{}[*].OUTPUT` for all", name,
                          name));
    return nullptr;
  }

  static std::string keys_help(const std::string& name, const std::vector<std::string>& ids) {
    std::vector<std::string> keys;
    for (const std::string& id : ids) keys.push_back("`" + id.substr(name.size() + 1) + "`");
    return keys.empty() ? "it has no instances" : "it has " + slipway::join(keys, ", ");
  }

  // The same steps, starting from one instance.
  static ExpressionPtr of(const Traversal& traversal, const std::string& id, Span span) {
    Traversal one = traversal;
    one.steps[0].name = id;
    one.steps.erase(one.steps.begin() + 1);
    return expression::make(span, std::move(one));
  }

  Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  Evaluation evaluation_;
  std::set<std::string> failed_;  // modules with unknown instances
};

}  // namespace

void make_instances(Deployment& deployment, source::Diagnostics& diagnostics) {
  Instances(deployment, diagnostics).run();
}

void override_settings(Deployment& deployment, source::Diagnostics& diagnostics) {
  for (const Override& override : deployment.overrides) {
    bool found = deployment.left_out.contains(override.module) ||
                 deployment.instances.contains(override.module);
    for (Group& group : deployment.groups) {
      for (Module& module : group.modules) {
        if (module.id != override.module && module.made_by != override.module) continue;
        found = true;
        for (auto [name, setting] : override.settings) {
          const auto before = module.settings.find(name);
          if (before != module.settings.end()) {
            setting.replaced = before->second.replaced;
            setting.replaced.push_back(before->second.span);
          }
          module.settings.insert_or_assign(name, std::move(setting));
        }
      }
    }
    if (found) continue;
    diagnostics
        .error(Code::unknown_module, override.span,
               fmt::format("there is no module `{}`", override.module))
        .help(source::did_you_mean(override.module, deployment.module_ids()));
  }
}

}  // namespace slipway::blueprint
