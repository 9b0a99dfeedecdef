// Reads one module's `model`.
#include "launcher/cluster/model_part.h"

#include <fmt/core.h>

#include <cmath>

#include "launcher/expression/evaluate.h"
#include "launcher/expression/functions.h"

namespace slipway::cluster {

using expression::Value;
using source::Code;
using source::Span;

ModelPart::ModelPart(const blueprint::Module& module, std::string kind, Value::Object fields,
                     source::Diagnostics& diagnostics)
    : module_(&module),
      kind_(std::move(kind)),
      fields_(std::move(fields)),
      diagnostics_(&diagnostics) {}

source::Span place_of(const blueprint::Module& module, std::string_view input,
                      std::string_view key) {
  const auto setting = module.settings.find(std::string(input));
  if (setting == module.settings.end()) return module.id_span;
  const bool written = setting->second.origin == blueprint::Origin::blueprint;
  if (!written || !setting->second.value->span) return setting->second.span;
  const auto* object = setting->second.value->as<expression::ObjectExpression>();
  if (object != nullptr && !key.empty()) {
    for (const expression::ObjectItem& item : object->items) {
      const auto* name = item.key->as<expression::Literal>();
      const bool found = name != nullptr && name->value == Value(std::string(key));
      if (found && item.value->span) return item.value->span;
    }
  }
  return setting->second.value->span;
}

source::Span ModelPart::place(std::string_view input) const {
  return place_of(*module_, input);
}

const Value* ModelPart::find(std::string_view field) const {
  const auto found = fields_.find(field);
  if (found != fields_.end()) return &found->second;
  diagnostics_->error(Code::bad_module_file, module_->source_span,
                      fmt::format("the model of `{}` has no `{}`", module_->source, field));
  return nullptr;
}

// Does not report values that an earlier error left unknown or null.
void ModelPart::wrong(std::string_view field, const Value& value) const {
  if (diagnostics_->errors() > 0 && (!value.is_known() || value.is_null())) return;
  Span call_span;
  std::string function;
  expression::for_each_call(expression::to_expression(value), [&](const expression::Call& call) {
    if (call_span || !expression::is_terraform_function(call.function)) return;
    call_span = call.name_span;
    function = call.function;
  });
  if (call_span) {
    diagnostics_
        ->error(Code::no_model, call_span,
                fmt::format("`{}()` is not computed before deployment", function))
        .other(place(field),
               fmt::format("`{}` of module `{}` must be known by then", field, module_->id));
    return;
  }
  diagnostics_->error(
      Code::no_model, place(field),
      value.is_known()
          ? fmt::format("`{}` of module `{}` cannot be {}", field, module_->id, describe(value))
          : fmt::format("`{}` of module `{}` is not known before it is deployed", field,
                        module_->id));
}

void ModelPart::no_such(std::string_view what) const {
  if (diagnostics_->errors() > 0) return;
  diagnostics_
      ->error(Code::no_model, module_->id_span,
              fmt::format("module `{}` needs a {} from this blueprint", module_->id, what))
      .help(fmt::format("`use` a module for a {}", what));
}

std::string ModelPart::text(std::string_view field) const {
  const Value* value = find(field);
  if (value == nullptr) return {};
  const auto text = expression::text_of(*value);
  if (!text) wrong(field, *value);
  return text.value_or("");
}

std::string ModelPart::text_or(std::string_view field, const std::string& unknown) const {
  const auto found = fields_.find(field);
  return found != fields_.end() && !found->second.is_known() ? unknown : text(field);
}

bool ModelPart::is_empty_text(std::string_view field) const {
  const auto found = fields_.find(field);
  return found != fields_.end() && expression::text_of(found->second) == "";
}

int64_t ModelPart::integer(std::string_view field, int64_t least, int64_t most,
                           std::string_view input) const {
  const Value* value = find(field);
  const auto* number = value == nullptr ? nullptr : value->as<Value::Number>();
  if (value != nullptr && number == nullptr) wrong(input, *value);
  if (number == nullptr) return 0;
  if (std::nearbyint(*number) == *number && *number >= static_cast<Value::Number>(least) &&
      *number <= static_cast<Value::Number>(most)) {
    return static_cast<int64_t>(*number);
  }
  diagnostics_->error(
      Code::no_model, place(input),
      fmt::format("`{}` of module `{}` must be a whole number from {} to {}, and cannot be {}",
                  input, module_->id, least, most, expression::short_number_text(*number)));
  return 0;
}

bool ModelPart::boolean(std::string_view field) const {
  const Value* value = find(field);
  const auto* boolean = value == nullptr ? nullptr : value->as<bool>();
  if (value != nullptr && boolean == nullptr) wrong(field, *value);
  return boolean != nullptr && *boolean;
}

std::vector<std::string> ModelPart::texts(std::string_view field) const {
  std::vector<std::string> texts;
  const Value* value = find(field);
  const auto* list = value == nullptr ? nullptr : value->as<Value::List>();
  if (value != nullptr && list == nullptr) wrong(field, *value);
  if (list == nullptr) return texts;
  for (const Value& item : *list) {
    if (const auto text = expression::text_of(item)) {
      texts.push_back(*text);
    } else {
      wrong(field, item);
    }
  }
  return texts;
}

std::map<std::string, std::string> ModelPart::text_map(std::string_view field) const {
  std::map<std::string, std::string> texts;
  const Value* value = find(field);
  const auto* object = value == nullptr ? nullptr : value->as<Value::Object>();
  if (value != nullptr && object == nullptr && !value->is_null()) wrong(field, *value);
  if (object == nullptr) return texts;
  for (const auto& [key, member] : *object) {
    if (const auto text = expression::text_of(member)) {
      texts[key] = *text;
    } else if (!member.is_null()) {
      wrong(field, member);
    }
  }
  return texts;
}

std::string ModelPart::module_id(std::string_view field) const {
  const Value* value = find(field);
  const auto* id = value == nullptr ? nullptr : value->as<std::string>();
  if (value != nullptr && id == nullptr && !value->is_null()) wrong(field, *value);
  return id == nullptr ? std::string() : *id;
}

namespace {

// The first module of whose outputs a value that is not yet known consists; empty if there is none.
std::string module_in(const Value& value) {
  std::string module;
  if (!value.is_unknown()) return module;
  expression::for_each_reference(
      expression::to_expression(value), [&](const expression::Traversal& path, Span) {
        if (module.empty() && path.root == "module" && !path.steps.empty())
          module = path.steps[0].name;
      });
  return module;
}

}  // namespace

std::vector<NetworkLink> ModelPart::networks(std::string_view field) const {
  std::vector<NetworkLink> links;
  const Value* value = find(field);
  const auto* list = value == nullptr ? nullptr : value->as<Value::List>();
  if (value != nullptr && list == nullptr) wrong(field, *value);
  if (list == nullptr) return links;
  for (const Value& item : *list) {
    const auto* object = item.as<Value::Object>();
    const auto member = [&](const char* key) {
      const auto found = object == nullptr ? Value::Object::const_iterator() : object->find(key);
      return object == nullptr || found == object->end() ? nullptr : &found->second;
    };
    const Value *id = member("id"), *link = member("link");
    const auto* module = id == nullptr ? nullptr : id->as<std::string>();
    const auto* outside = link == nullptr ? nullptr : link->as<std::string>();
    if (module != nullptr) {
      links.push_back({*module, {}});
    } else if (outside != nullptr && !outside->empty()) {
      links.push_back({{}, *outside});
    } else if (const std::string part_of = link == nullptr ? "" : module_in(*link);
               !part_of.empty()) {
      links.push_back({part_of, {}});
    } else {
      no_such("network");
    }
  }
  return links;
}

std::vector<MountedFileSystem> ModelPart::mounts(std::string_view field) const {
  std::vector<MountedFileSystem> mounts;
  const Value* value = find(field);
  const auto* list = value == nullptr ? nullptr : value->as<Value::List>();
  if (value != nullptr && list == nullptr) wrong(field, *value);
  if (list == nullptr) return mounts;
  for (const Value& item : *list) {
    const auto* object = item.as<Value::Object>();
    const auto id = object == nullptr ? Value::Object::const_iterator() : object->find("id");
    const auto* text =
        object == nullptr || id == object->end() ? nullptr : id->second.as<std::string>();
    if (text == nullptr) {
      no_such("file system");
      continue;
    }
    const auto place = object->find("mount");
    const auto mount = place == object->end() ? std::nullopt : expression::text_of(place->second);
    mounts.push_back({*text, mount.value_or("")});
  }
  return mounts;
}

const Value::List* ModelPart::list(std::string_view field) const {
  const auto found = fields_.find(field);
  return found == fields_.end() ? nullptr : found->second.as<Value::List>();
}

}  // namespace slipway::cluster
