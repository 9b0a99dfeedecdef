// Puts Cluster Toolkit's own modules in the place of modules that cannot do what a blueprint asks
// for.
#include "launcher/blueprint/toolkit_instead.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

#include "launcher/modules/becomes.h"

namespace slipway::blueprint {
namespace {

using modules::Interface;

bool is_empty(const ExpressionPtr& value) {
  const auto* literal = value->as<expression::Literal>();
  const auto* list = value->as<expression::Tuple>();
  return (literal != nullptr && literal->value.is_null()) ||
         (list != nullptr && list->items.empty());
}

bool is_ours(const Interface& interface, const std::string& name) {
  return std::ranges::find(interface.toolkit_instead->ours, name) !=
         interface.toolkit_instead->ours.end();
}

// The same interface; rules read Slipway's own inputs, too, which nothing sets.
std::shared_ptr<const Interface> as_call(const Interface& ours) {
  auto theirs = std::make_shared<Interface>(ours);
  theirs->resources = {ours.toolkit_instead->call};
  theirs->toolkit_instead.reset();
  theirs->model = nullptr;
  theirs->local = "this cluster's Slurm is Cluster Toolkit's";
  std::erase_if(theirs->outputs,
                [&](const modules::Output& output) { return is_ours(ours, output.name); });
  std::erase_if(theirs->rules,
                [&](const modules::Rule& rule) { return rule.warning || is_ours(ours, rule.at); });
  for (modules::Input& input : theirs->inputs) input.no_effect.clear();
  for (modules::Output& output : theirs->outputs) output.value = nullptr;
  return theirs;
}

class ToolkitModules {
 public:
  ToolkitModules(Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics) {}

  void run() {
    for_each([&](Module& module) {
      if (asks_for_it(module)) chosen_.insert(module.id);
    });
    if (chosen_.empty()) return;
    for (size_t before = 0; before != chosen_.size();) {
      before = chosen_.size();
      for_each([&](Module& module) { spread(module); });
    }
    for_each([&](Module& module) {
      if (chosen_.contains(module.id)) replace(module);
    });
  }

 private:
  // Visits the modules that Cluster Toolkit's can replace.
  template <class Visit>
  void for_each(Visit visit) {
    for (Group& group : deployment_.groups) {
      for (Module& module : group.modules) {
        if (module.interface != nullptr && module.interface->toolkit_instead) visit(module);
      }
    }
  }

  static bool asks_for_it(const Module& module) {
    return std::ranges::any_of(module.interface->toolkit_instead->when_set, [&](const auto& input) {
      const auto setting = module.settings.find(input);
      return setting != module.settings.end() && !is_empty(setting->second.value);
    });
  }

  // To modules that give values to a chosen one, and from a chosen one to those that take them.
  void spread(const Module& module) {
    for (const auto& [name, setting] : module.settings) {
      expression::for_each_reference(
          setting.value, [&](const expression::Traversal& traversal, Span) {
            if (traversal.root != "module" || traversal.steps.empty()) return;
            const Module* other = deployment_.find(traversal.steps[0].name).module;
            if (other == nullptr || other->interface == nullptr) return;
            if (!other->interface->toolkit_instead) return;
            if (chosen_.contains(module.id) != chosen_.contains(other->id)) {
              chosen_.insert(module.id);
              chosen_.insert(other->id);
            }
          });
    }
  }

  void replace(Module& module) {
    std::erase_if(module.settings, [&](const auto& setting) {
      if (!is_ours(*module.interface, setting.first)) return false;
      if (setting.second.origin == Origin::blueprint) report(module, setting);
      return true;
    });
    std::shared_ptr<const Interface>& theirs = calls_[module.interface];
    if (!theirs) {
      theirs = as_call(*module.interface);
      deployment_.made_interfaces.push_back(theirs);
    }
    module.interface = theirs.get();
  }

  void report(const Module& module, const Settings::value_type& setting) {
    diagnostics_
        .error(
            source::Code::unknown_setting, setting.second.span,
            fmt::format("`{}` of module `{}` is a setting of Slipway's Slurm, but this cluster's "
                        "Slurm is Cluster Toolkit's",
                        setting.first, module.id))
        .help("Slipway's Slurm has no TPU nodes; without them, the cluster is Slipway's");
  }

  Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  std::set<std::string> chosen_;  // ids
  std::map<const Interface*, std::shared_ptr<const Interface>> calls_;
};

}  // namespace

void use_toolkit_instead(Deployment& deployment, source::Diagnostics& diagnostics) {
  ToolkitModules(deployment, diagnostics).run();
}

}  // namespace slipway::blueprint
