// Evaluates variables, inputs and outputs.
#include "launcher/blueprint/evaluation.h"

#include <fmt/core.h>

#include "launcher/blueprint/culprit.h"
#include "launcher/blueprint/module_text.h"
#include "launcher/modules/becomes.h"
#include "launcher/modules/resource_reader.h"

namespace slipway::blueprint {
namespace {

using expression::ExpressionError;
using expression::Scope;
using expression::Traversal;
using expression::Unknown;
using expression::Value;
using source::Code;

// Replaces the unknown parts of an output by references to the output, since a blueprint cannot
// refer to anything inside the module. Parts that are outputs of other modules stay unchanged.
Value as_output_references(Value value, const std::string& module, const ExpressionPtr& path) {
  if (value.is_known()) return value;
  if (const auto* unknown = value.as<Unknown>()) {
    return unknown->module.empty() ? Value(Unknown{path, module}) : value;
  }
  const auto deeper = [&](expression::Step step) {
    Traversal traversal = *path->as<Traversal>();
    traversal.steps.push_back(std::move(step));
    return expression::make(path->span, std::move(traversal));
  };
  if (auto* list = value.edit<Value::List>()) {
    for (size_t i = 0; i < list->size(); ++i) {
      auto key = expression::make({}, expression::Literal{Value(static_cast<Value::Number>(i))});
      (*list)[i] = as_output_references(std::move((*list)[i]), module,
                                        deeper({expression::Step::Kind::index, "", key, {}}));
    }
  } else if (auto* object = value.edit<Value::Object>()) {
    for (auto& [name, member] : *object) {
      member = as_output_references(std::move(member), module,
                                    deeper({expression::Step::Kind::attribute, name, nullptr, {}}));
    }
  }
  return value;
}

// The place of the part of a setting to which a mismatch's path leads, as deep as the YAML tree
// goes.
Span place_within(const ExpressionPtr& setting, std::string_view path) {
  ExpressionPtr at = setting;
  while (!path.empty()) {
    const size_t end = std::min(path.find_first_of(".[", 1), path.size());
    const std::string_view step = path.substr(1, end - 1);
    ExpressionPtr next;
    if (const auto* object = at->as<expression::ObjectExpression>(); object && path[0] == '.') {
      for (const auto& item : object->items) {
        const auto* key = item.key->as<expression::Literal>();
        if (key != nullptr && key->value == Value(std::string(step))) next = item.value;
      }
    } else if (const auto* tuple = at->as<expression::Tuple>(); tuple && path[0] == '[') {
      const size_t index = std::stoul(std::string(step));
      if (index < tuple->items.size()) next = tuple->items[index];
    }
    if (!next || !next->span) break;
    at = next;
    path.remove_prefix(end);
  }
  return at->span;
}

Value unknown_input(const std::string& name) {
  return Unknown{expression::reference("input", {name}), {}};
}

}  // namespace

class Evaluation::BlueprintScope : public Scope {
 public:
  explicit BlueprintScope(Evaluation& evaluation) : evaluation_(evaluation) {}

  // check() reports names that do not exist, so they are only unknown here.
  Found find(const Traversal& traversal, Span span) const override {
    const std::string* name = name_after(traversal, 0);
    const std::string* output = name_after(traversal, 1);
    if (traversal.root == "var" && name != nullptr) {
      return {{}, 1, &evaluation_.variable(*name)};
    }
    if (traversal.root == "module" && output != nullptr) {
      if (const Module* module = evaluation_.deployment_.find(*name).module) {
        const Value& value = evaluation_.output(*module, *output);
        if (value.is_unknown()) check_attribute(*module, *output, traversal);
        return {{}, 2, &value};
      }
    }
    return {Unknown{expression::make(span, traversal), {}}, traversal.steps.size()};
  }

 private:
  // A value that only the deployment knows has a type nevertheless.
  static void check_attribute(const Module& module, const std::string& name,
                              const Traversal& traversal) {
    const std::string* attribute = name_after(traversal, 2);
    const modules::Output* output =
        module.interface == nullptr ? nullptr : module.interface->output(name);
    if (attribute == nullptr || output == nullptr) return;
    using Kind = expression::Type::Kind;
    const Kind kind = output->type.kind;
    if (kind != Kind::string && kind != Kind::number && kind != Kind::boolean) return;
    throw expression::ExpressionError(source::Code::cannot_evaluate, traversal.steps[2].span,
                                      fmt::format("a {} has no attribute `{}`",
                                                  kind == Kind::string   ? "string"
                                                  : kind == Kind::number ? "number"
                                                                         : "boolean",
                                                  *attribute));
  }

  Evaluation& evaluation_;
};

class Evaluation::ModuleScope : public Scope {
 public:
  // `each` is the member of a resource with `for_each` whose attributes are evaluated; or null.
  ModuleScope(Evaluation& evaluation, const Module& module,
              const ResourceSet::Member* each = nullptr)
      : evaluation_(evaluation), module_(module), each_(each) {}

  Found find(const Traversal& traversal, Span span) const override {
    const std::string* name = name_after(traversal, 0);
    if (name != nullptr && traversal.root == "input" &&
        module_.interface->input(*name) != nullptr) {
      return {{}, 1, &evaluation_.input(module_, *name)};
    }
    if (name != nullptr && traversal.root == "local") {
      const auto local = module_.interface->locals.find(*name);
      if (local != module_.interface->locals.end()) {
        const modules::Interface& interface = *module_.interface;
        const void* owner = &module_;
        if (evaluation_.is_constant(interface, *name)) owner = &interface;
        const auto compute = [&] { return evaluation_.evaluate_in(module_, local->second); };
        return {{},
                1,
                &once(
                    evaluation_.locals_, owner, *name, [] { return Value(); }, compute)};
      }
    }
    if (name != nullptr && traversal.root == "output" &&
        module_.interface->output(*name) != nullptr) {
      return {{}, 1, &evaluation_.output(module_, *name)};
    }
    if (name != nullptr && traversal.root == "given" &&
        module_.interface->input(*name) != nullptr) {
      return {module_.settings.contains(*name), 1};
    }
    // What a Terraform module's validators see: not what `use` or the compiler sets.
    if (name != nullptr && traversal.root == "written" &&
        module_.interface->input(*name) != nullptr) {
      const auto setting = module_.settings.find(*name);
      return {setting != module_.settings.end() && (setting->second.origin == Origin::blueprint ||
                                                    setting->second.origin == Origin::variable),
              1};
    }
    if (name != nullptr && traversal.root == "module" && *name == "id") return {module_.id, 1};
    if (name != nullptr && traversal.root == "each" && each_ != nullptr) {
      if (*name == "key") return {each_->key, 1};
      if (*name == "value") return {{}, 1, &each_->value};
    }
    if (traversal.root == "toolkit" && name != nullptr &&
        modules::toolkit_module(*module_.interface) != nullptr) {
      return toolkit(traversal, span);
    }
    if (traversal.root == "slurm") {
      const auto slurm = evaluation_.slurm_.find(&module_);
      if (slurm != evaluation_.slurm_.end()) return {slurm->second, 0};
    }
    if (const std::string to = modules::resource_reference(traversal); !to.empty()) {
      return resource(traversal, to, span);
    }
    throw ExpressionError(
        Code::bad_module_file, span,
        fmt::format("there is no `{}` in `{}`",
                    expression::to_hcl(*expression::make(span, traversal)), module_.source));
  }

  Value file_text(const std::string& path, Span span) const override {
    return module_text(*module_.interface, path, span);
  }

 private:
  // An output of the Terraform module that the module becomes, as Terraform refers to it.
  Found toolkit(Traversal traversal, Span span) const {
    expression::Step id;
    id.name = module_.id;
    traversal.root = "module";
    traversal.steps.insert(traversal.steps.begin(), std::move(id));
    const size_t steps = traversal.steps.size() - 1;
    return {Unknown{expression::make(span, std::move(traversal)), {}}, steps};
  }

  Found resource(const Traversal& traversal, const std::string& reference, Span span) const {
    const modules::Resource* resource = module_.interface->resource(reference);
    const size_t steps = traversal.root == "data" ? 2 : 1;
    const ResourceSet open;
    const ResourceSet& set =
        resource == nullptr ? open : evaluation_.resource_set(module_, *resource);
    if (set.shape == ResourceSet::Shape::open) {
      return {Unknown{expression::make(span, traversal), {}}, traversal.steps.size()};
    }
    // An absent resource has no attributes.
    if (set.shape == ResourceSet::Shape::absent) return {Value(), traversal.steps.size()};
    return {meaning(*resource, set), steps};
  }

  Evaluation& evaluation_;
  const Module& module_;
  const ResourceSet::Member* each_;
};

Evaluation::Evaluation(const Deployment& deployment, source::Diagnostics& diagnostics)
    : deployment_(deployment), diagnostics_(diagnostics) {}
Evaluation::~Evaluation() = default;

void Evaluation::report_in_module(const Module& module, const ExpressionPtr& expression,
                                  const ExpressionError& error) {
  ++failures_;
  if (diagnostics_.errors() > 0) return;
  if (error.code == Code::bad_module_file) {
    diagnostics_.error(error.code, error.span, error.what()).help(error.help);
    return;
  }
  const std::string* input = find_culprit(module, expression, error.span);
  if (input == nullptr) {
    diagnostics_
        .error(error.code, module.id_span, fmt::format("module `{}`: {}", module.id, error.what()))
        .other(error.span, "needed here")
        .help(error.help);
    return;
  }
  const Setting& setting = module.settings.at(*input);
  const bool written = setting.origin == Origin::blueprint && setting.value->span;
  diagnostics_
      .error(error.code, written ? setting.value->span : setting.span,
             fmt::format("`{}` of module `{}`: {}", *input, module.id, error.what()))
      .other(error.span, "needed here")
      .help(error.help);
}

// A value that is needed while it is being computed depends on itself: it is unknown, and check()
// reports the cycle.
template <class Start, class Compute>
const Value& Evaluation::once(Values& values, const void* owner, const std::string& name,
                              Start while_computing, Compute compute) {
  auto& own = values[owner];
  if (const auto found = own.find(name); found != own.end()) return found->second;
  Value& entry = own.emplace(name, while_computing()).first->second;
  Value value = compute();
  entry = std::move(value);
  return entry;
}

// Whether a local value is the same for every module of the interface, such as a table of the
// catalogue: it needs no input.
bool Evaluation::is_constant(const modules::Interface& interface, const std::string& local) {
  const auto [entry, fresh] = constants_.try_emplace({&interface, local}, true);
  if (!fresh) return entry->second;
  bool constant = true;
  expression::for_each_reference(interface.locals.at(local), [&](const Traversal& traversal, Span) {
    const std::string* name = name_after(traversal, 0);
    constant = constant && traversal.root == "local" && name != nullptr &&
               interface.locals.contains(*name) && is_constant(interface, *name);
  });
  return entry->second = constant;
}

const Value& Evaluation::variable(const std::string& name) {
  const auto unknown = [&]() -> Value { return Unknown{expression::reference("var", {name}), {}}; };
  return once(variables_, nullptr, name, unknown, [&]() -> Value {
    const auto found = deployment_.variables.find(name);
    if (found == deployment_.variables.end()) return unknown();
    // A missing value has already been reported and causes no further diagnostics.
    const auto* literal = found->second.value->as<expression::Literal>();
    if (literal != nullptr && literal->value.is_null()) return unknown();
    try {
      return evaluate(found->second.value);
    } catch (const ExpressionError& error) {
      report(error, found->second.span, diagnostics_);
      return unknown();
    }
  });
}

const Value& Evaluation::input(const Module& module, const std::string& name) {
  return once(
      inputs_, &module, name, [&] { return unknown_input(name); },
      [&] { return compute_input(module, name); });
}

Value Evaluation::compute_input(const Module& module, const std::string& name) {
  const modules::Input& input = *module.interface->input(name);
  const auto setting = module.settings.find(name);
  if (setting == module.settings.end()) {
    return input.required ? unknown_input(name) : input.default_value;
  }
  const Span place = setting->second.place();
  try {
    const Value value = evaluate(setting->second.value);
    if (value.is_null() && !input.nullable && !input.required) return input.default_value;
    std::vector<expression::Mismatch> mismatches;
    Value converted = expression::convert(value, input.type, mismatches);
    const bool by_name = setting->second.origin == Origin::variable;
    for (const auto& mismatch : mismatches) {
      if (by_name && !reported_.insert(name + mismatch.path + mismatch.message).second) continue;
      diagnostics_
          .error(Code::type_mismatch,
                 place == setting->second.span ? place
                                               : place_within(setting->second.value, mismatch.path),
                 fmt::format("`{}{}` of module `{}`: {}", name, mismatch.path, module.id,
                             mismatch.message))
          .other(by_name ? Span() : variable_value_span(setting->second.value), "its value")
          .help(mismatch.help)
          .help(by_name ? fmt::format(
                              "module `{}` uses the variable because it has a setting of that name",
                              module.id)
                        : std::string());
    }
    return mismatches.empty() ? converted : unknown_input(name);
  } catch (const ExpressionError& error) {
    report(error, place, diagnostics_);
    return unknown_input(name);
  }
}

// The place of the value of a variable, for a setting that is just that variable.
Span Evaluation::variable_value_span(const ExpressionPtr& value) const {
  const auto* traversal = value->as<Traversal>();
  if (traversal == nullptr || traversal->root != "var") return {};
  const std::string* name = name_after(*traversal, 0);
  const auto found =
      name == nullptr ? deployment_.variables.end() : deployment_.variables.find(*name);
  if (found == deployment_.variables.end()) return {};
  return found->second.value->span ? found->second.value->span : found->second.span;
}

const Value& Evaluation::output(const Module& module, const std::string& name) {
  const auto unknown = [&]() -> Value {
    return Unknown{expression::reference("module", {module.id, name}), module.id};
  };
  return once(outputs_, &module, name, unknown, [&]() -> Value {
    const modules::Output* output =
        module.interface == nullptr ? nullptr : module.interface->output(name);
    if (output == nullptr || !output->value) return unknown();
    try {
      return as_output_references(evaluate_in(module, output->value), module.id,
                                  expression::reference("module", {module.id, name}));
    } catch (const ExpressionError& error) {
      report_in_module(module, output->value, error);
      return unknown();
    }
  });
}

Value Evaluation::evaluate(const ExpressionPtr& expression) {
  return expression::evaluate(*expression, BlueprintScope(*this));
}

Value Evaluation::evaluate_in(const Module& module, const ExpressionPtr& expression) {
  return expression::evaluate(*expression, ModuleScope(*this, module));
}

void Evaluation::provide_slurm(const Module& module, Value slurm) {
  slurm_.insert_or_assign(&module, std::move(slurm));
}

const ResourceSet& Evaluation::resource_set(const Module& module,
                                            const modules::Resource& resource) {
  const auto [entry, fresh] = resource_sets_.try_emplace({&module, &resource});
  if (fresh) {
    const Value when = resource.when ? evaluate_in(module, resource.when) : Value(true);
    const bool asked = resource.for_each && !(when == Value(false));
    const Value for_each = asked ? evaluate_in(module, resource.for_each) : Value();
    entry->second = make_resource_set(module.id, resource, when, for_each);
  }
  return entry->second;
}

Value Evaluation::resource_body(const Module& module, const modules::Resource& resource,
                                const ResourceSet::Member& member) {
  return expression::evaluate(*resource.body, ModuleScope(*this, module, &member));
}

}  // namespace slipway::blueprint
