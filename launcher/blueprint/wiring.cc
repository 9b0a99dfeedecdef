// Wiring: fills in settings from `use`, variables and module ids.
#include "launcher/blueprint/wiring.h"

#include <fmt/core.h>

#include <algorithm>

#include "launcher/blueprint/variables.h"
#include "launcher/expression/notation.h"

namespace slipway::blueprint {
namespace {

using expression::Call;
using expression::Literal;
using expression::Tuple;
using expression::Type;
using expression::Value;
using source::Code;

constexpr const char* labels = "labels";

// The outputs that a list setting collects from the modules in `use`, in their order.
struct Contributions {
  std::vector<ExpressionPtr> outputs;
  std::vector<std::string> from;
  Span span;  // of the last one
};

// flatten([new, old]): later modules come first, as in Cluster Toolkit's expanded blueprints.
Setting joined(Contributions list) {
  std::reverse(list.outputs.begin(), list.outputs.end());
  std::reverse(list.from.begin(), list.from.end());
  ExpressionPtr items =
      expression::make({}, Tuple{std::move(list.outputs), expression::Form::commas});
  return {expression::make({}, Call{"flatten", {}, {std::move(items)}, false}), Origin::used,
          list.span, std::move(list.from)};
}

class Wiring {
 public:
  Wiring(Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics) {}

  void run() {
    for (size_t g = 0; g < deployment_.groups.size(); ++g) {
      for (Module& module : deployment_.groups[g].modules) wire(module, g);
    }
    export_outputs();
  }

 private:
  void wire(Module& module, size_t group) {
    lists_.clear();
    for (const Use& use : module.uses) follow(module, group, use);
    for (auto& [name, list] : lists_) module.settings[name] = joined(std::move(list));
    if (module.interface == nullptr) return;
    for (const modules::Input& input : module.interface->inputs) {
      if (input.name == labels) {
        take_labels(module);
      } else if (!module.settings.contains(input.name)) {
        fill(module, input);
      }
    }
  }

  void follow(Module& module, size_t group, const Use& use) {
    const auto [used, used_group] = deployment_.find(use.module);
    module.use_failed = module.use_failed || used == nullptr || used == &module ||
                        used_group > group || used->interface == nullptr;
    if (used == nullptr) {
      unknown(use);
    } else if (used == &module) {
      diagnostics_.error(Code::unknown_use, use.span,
                         fmt::format("module `{}` cannot use itself", module.id));
    } else if (used_group > group) {
      diagnostics_
          .error(Code::later_group, use.span,
                 fmt::format("module `{}` is in the later group `{}`", use.module,
                             deployment_.groups[used_group].name))
          .other(used->id_span, "defined here");
    } else if (used->interface != nullptr && used->interface->kind == "packer") {
      diagnostics_.error(Code::unknown_use, use.span,
                         fmt::format("module `{}` builds an image and has no outputs", use.module));
    } else if (used->interface != nullptr && module.interface != nullptr) {
      take_outputs(module, *used, use);
    }
  }

  void unknown(const Use& use) {
    if (expression::has_expression(use.module)) return;  // reported when it was read
    const std::string before_dot = use.module.substr(0, use.module.find('.'));
    diagnostics_
        .error(Code::unknown_use, use.span, fmt::format("there is no module `{}`", use.module))
        .help(deployment_.find(before_dot).module != nullptr
                  ? fmt::format("write `{}`: `use` takes a module, not an output", before_dot)
                  : source::did_you_mean(use.module, deployment_.module_ids()));
  }

  void take_outputs(Module& module, const Module& used, const Use& use) {
    for (const modules::Output& output : used.interface->outputs) {
      const modules::Input* input = module.interface->input(output.name);
      if (input == nullptr || output.name == labels) continue;
      if (module.settings.contains(output.name)) continue;
      ExpressionPtr value = expression::reference("module", {used.id, output.name}, use.span);
      if (input->type.kind != Type::Kind::list) {
        module.settings[output.name] = {std::move(value), Origin::used, use.span, {used.id}};
        continue;
      }
      Contributions& list = lists_[output.name];
      list.outputs.push_back(std::move(value));
      list.from.push_back(used.id);
      list.span = use.span;
    }
  }

  void fill(Module& module, const modules::Input& input) {
    const auto variable = deployment_.variables.find(input.name);
    if (variable != deployment_.variables.end()) {
      module.settings[input.name] = {
          expression::reference("var", {input.name}), Origin::variable, variable->second.span, {}};
    } else if (input.name == module.interface->id_input) {
      module.settings[input.name] = {
          expression::make({}, Literal{Value(module.id)}), Origin::module_id, module.id_span, {}};
    }
  }

  void take_labels(Module& module) {
    const auto own = module.settings.find(labels);
    ExpressionPtr common = expression::reference("var", {labels});
    const auto* nothing = own == module.settings.end() ? nullptr : own->second.value->as<Literal>();
    if (own == module.settings.end() || (nothing != nullptr && nothing->value.is_null())) {
      const auto variable = deployment_.variables.find(labels);
      const Span span = variable == deployment_.variables.end() ? Span() : variable->second.span;
      module.settings[labels] = {common, Origin::variable, span};
      return;
    }
    // A value that is not a mapping stays unchanged and fails the type check.
    if (nothing != nullptr || own->second.value->as<Tuple>() != nullptr) return;
    const auto* call = own->second.value->as<Call>();
    const bool merged = call != nullptr && call->function == "merge" && !call->arguments.empty();
    const bool expanded_before =
        is_common(*own->second.value) || (merged && is_common(*call->arguments.front()));
    if (expanded_before) return;
    own->second.value = expression::make(
        own->second.value->span, Call{"merge", {}, {common, as_lines(own->second.value)}, false});
  }

  static bool is_common(const expression::Expression& expression) {
    const auto* reference = expression.as<expression::Traversal>();
    return reference != nullptr && reference->root == "var" && reference->steps.size() == 1 &&
           reference->steps.front().name == labels;
  }

  // Adds outputs to earlier groups for the values that later groups use.
  void export_outputs() {
    for (size_t g = 0; g < deployment_.groups.size(); ++g) {
      for (const Module& module : deployment_.groups[g].modules) {
        for (const auto& [name, setting] : module.settings) {
          expression::for_each_reference(
              setting.value, [&](const expression::Traversal& traversal, Span) {
                if (traversal.root != "module" || traversal.steps.size() < 2) return;
                export_output(traversal.steps[0].name, traversal.steps[1].name, g);
              });
        }
      }
    }
  }

  void export_output(const std::string& id, const std::string& output, size_t group) {
    for (size_t g = 0; g < group; ++g) {
      for (Module& module : deployment_.groups[g].modules) {
        if (module.id != id) continue;
        const bool known = std::any_of(module.outputs.begin(), module.outputs.end(),
                                       [&](const WantedOutput& o) { return o.name == output; });
        if (known) return;
        module.outputs.push_back({output, "Used by later groups", true, true, {}});
      }
    }
  }

  Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  std::map<std::string, Contributions> lists_;  // of the module being wired
};

}  // namespace

void wire(Deployment& deployment, source::Diagnostics& diagnostics) {
  Wiring(deployment, diagnostics).run();
}

}  // namespace slipway::blueprint
