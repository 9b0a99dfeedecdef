// Compares the keys of object settings with the attributes of their types.
#include "launcher/blueprint/attribute_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::blueprint {
namespace {

using expression::ObjectExpression;
using expression::Tuple;
using expression::Type;
using source::Code;

class AttributeCheck {
 public:
  AttributeCheck(const Module& module, std::string setting, source::Diagnostics& diagnostics)
      : module_(module), setting_(std::move(setting)), diagnostics_(diagnostics) {}

  void compare(const ExpressionPtr& value, const Type& type) {
    if (const auto* object = value->as<ObjectExpression>()) {
      for (const auto& item : object->items) member(item, type);
    } else if (const auto* list = value->as<Tuple>()) {
      for (size_t i = 0; i < list->items.size(); ++i) {
        const size_t element = type.kind == Type::Kind::tuple ? i : 0;
        if (element < type.elements.size()) compare(list->items[i], type.elements[element]);
      }
    }
  }

 private:
  void member(const expression::ObjectItem& item, const Type& type) {
    if (type.kind == Type::Kind::map) return compare(item.value, type.elements.front());
    const auto* key = item.key->as<expression::Literal>();
    const auto* name = key == nullptr ? nullptr : key->value.as<std::string>();
    if (type.kind != Type::Kind::object || name == nullptr) return;
    const auto attribute = std::ranges::find(type.attributes, *name, &Type::Attribute::name);
    if (attribute != type.attributes.end()) return compare(item.value, attribute->type);
    report(item.key->span ? item.key->span : item.value->span, *name, type);
  }

  void report(Span place, const std::string& name, const Type& type) {
    std::vector<std::string> names;
    for (const Type::Attribute& attribute : type.attributes) names.push_back(attribute.name);
    const std::string meant = source::did_you_mean(name, names);
    const std::string message =
        fmt::format("`{}` of module `{}` has no attribute `{}`", setting_, module_.id, name);
    if (!meant.empty()) {
      diagnostics_.error(Code::unknown_setting, place, message).help(meant);
    } else {
      diagnostics_.warning(Code::rule_broken, place, message + ": it has no effect")
          .help(fmt::format("it has {}", slipway::join(names, ", ")));
    }
  }

  const Module& module_;
  const std::string setting_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_attributes(const Module& module, source::Diagnostics& diagnostics) {
  for (const auto& [name, setting] : module.settings) {
    const modules::Input* input = module.interface->input(name);
    if (input == nullptr || setting.origin != Origin::blueprint) continue;
    AttributeCheck(module, name, diagnostics).compare(setting.value, input->type);
  }
}

}  // namespace slipway::blueprint
