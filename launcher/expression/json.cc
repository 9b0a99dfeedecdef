// Converts values to JSON and back.
#include "launcher/expression/json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "common/error.h"

namespace slipway::expression {
namespace {

void write_string(std::string_view text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // Line ends in JavaScript, so JSON in a script must escape them.
    const bool separator = text.substr(i, 3) == "\u2028" || text.substr(i, 3) == "\u2029";
    if (separator) {
      out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += text[i];
    }
  }
  out += '"';
}

void write(const Value& value, std::string& out) {
  if (const auto* boolean = value.as<bool>()) {
    out += *boolean ? "true" : "false";
  } else if (const auto* number = value.as<Value::Number>()) {
    out += number_text(*number);
  } else if (const auto* text = value.as<std::string>()) {
    write_string(*text, out);
  } else if (const auto* list = value.as<Value::List>()) {
    out += '[';
    for (const Value& item : *list) {
      if (&item != list->data()) out += ',';
      write(item, out);
    }
    out += ']';
  } else if (const auto* object = value.as<Value::Object>()) {
    out += '{';
    for (const auto& [key, member] : *object) {
      if (out.back() != '{') out += ',';
      write_string(key, out);
      out += ':';
      write(member, out);
    }
    out += '}';
  } else {
    out += "null";
  }
}

constexpr size_t json_depth_limit = 200;

// Builds the value while parsing, so that numbers keep all their digits.
class JsonReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override {
    return add(static_cast<Value::Number>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(static_cast<Value::Number>(value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    const auto number = parse_number(text);
    if (!number) throw Error(fmt::format("the number {} is too large", text));
    return add(*number);
  }
  bool string(string_t& text) override { return add(Value(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Value::Object{}); }
  bool start_array(size_t) override { return open(Value::List{}); }
  bool key(string_t& key) override {
    keys_.back() = key;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    throw Error(fmt::format("invalid JSON at character {}", position));
  }

  Value take() { return std::move(*whole_); }

 private:
  bool add(Value value) {
    if (open_.empty()) {
      whole_ = std::move(value);
    } else if (auto* list = open_.back().edit<Value::List>()) {
      list->push_back(std::move(value));
    } else {
      open_.back().edit<Value::Object>()->insert_or_assign(keys_.back(), std::move(value));
    }
    return true;
  }
  bool open(Value value) {
    if (open_.size() >= json_depth_limit) throw Error("this JSON is nested too deeply");
    open_.push_back(std::move(value));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Value value = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(value));
  }

  std::vector<Value> open_;
  std::vector<std::string> keys_;
  std::optional<Value> whole_;
};

}  // namespace

std::string to_json(const Value& value) {
  std::string out;
  write(value, out);
  return out;
}

Value from_json(std::string_view text) {
  JsonReader reader;
  if (!nlohmann::json::sax_parse(text, &reader)) throw Error("invalid JSON");
  return reader.take();
}

}  // namespace slipway::expression
