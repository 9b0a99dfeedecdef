// Finds the places of values in the settings that become them.
#include "launcher/google/setting_place.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/cluster/model_part.h"
#include "launcher/google/value_check.h"

namespace slipway::google {

using expression::Value;

bool has_value(const Value& value, const Json& wanted) {
  if (const auto* list = value.as<Value::List>()) {
    return std::ranges::any_of(*list, [&](const Value& item) { return has_value(item, wanted); });
  }
  if (const auto* object = value.as<Value::Object>()) {
    return std::ranges::any_of(*object, [&](const auto& member) {
      return (wanted.is_string() && wanted.get_ref<const std::string&>() == member.first) ||
             has_value(member.second, wanted);
    });
  }
  if (const auto* text = value.as<std::string>()) {
    if (!wanted.is_string()) return false;
    const auto& whole = wanted.get_ref<const std::string&>();
    // Modules write prefixes for people: "viewer" becomes "roles/viewer".
    return *text == whole || (!text->empty() && whole.ends_with("/" + *text));
  }
  const auto* number = value.as<Value::Number>();
  return number != nullptr && number_of(wanted) == static_cast<double>(*number);
}

bool has_item(const Value& value, const Json& wanted) {
  const auto* list = value.as<Value::List>();
  return list != nullptr && wanted.is_string() &&
         std::ranges::any_of(*list, [&](const Value& item) { return has_value(item, wanted); });
}

source::Span place_in(const expression::ExpressionPtr& setting, const Json& wanted) {
  if (const auto* literal = setting->as<expression::Literal>()) {
    return has_value(literal->value, wanted) ? setting->span : source::Span();
  }
  source::Span place;
  if (const auto* list = setting->as<expression::Tuple>()) {
    for (const auto& item : list->items) {
      if (place = place_in(item, wanted); place) return place;
    }
  } else if (const auto* object = setting->as<expression::ObjectExpression>()) {
    for (const auto& item : object->items) {
      if (place = place_in(item.key, wanted); place) return place;
      if (place = place_in(item.value, wanted); place) return place;
    }
  }
  return place;
}

source::Span place_of(const std::string& attribute, const expression::ExpressionPtr& setting,
                      const Json& wanted) {
  source::Span place;
  if (const auto* list = setting->as<expression::Tuple>()) {
    for (const auto& item : list->items) {
      if (place = place_of(attribute, item, wanted); place) return place;
    }
  } else if (const auto* object = setting->as<expression::ObjectExpression>()) {
    for (const auto& item : object->items) {
      const auto* key = item.key->as<expression::Literal>();
      const bool named = key != nullptr && key->value == Value(attribute);
      place = named ? place_in(item.value, wanted) : place_of(attribute, item.value, wanted);
      if (place) return place;
    }
  }
  return place;
}

source::Span place_in(const blueprint::Module& module, const std::string& input,
                      const std::string& text) {
  const auto setting = module.settings.find(input);
  const source::Span exact =
      setting == module.settings.end() ? source::Span() : place_in(setting->second.value, text);
  return exact ? exact : cluster::place_of(module, input);
}

}  // namespace slipway::google
