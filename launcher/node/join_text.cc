// Reads and writes what `slipway deploy` and `slipway node join` tell each other.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/base64.h"
#include "common/error.h"
#include "common/json.h"
#include "launcher/node/join.h"

namespace slipway::node {
namespace {

using nlohmann::json;

std::map<std::string, std::string> texts_by_name(const JsonValue& object) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : object.members()) texts[name] = value.text();
  return texts;
}

std::string bytes_of(const JsonValue& value) {
  const auto bytes = from_base64(value.text());
  if (!bytes) throw Error("the key is not Base64");
  return *bytes;
}

void require_schema(const JsonValue& value) {
  if (value.at("schema").text() == join_schema) return;
  throw Error(fmt::format("the schema is {}, expected {}: another version of Slipway wrote it",
                          value.at("schema").text(), join_schema));
}

}  // namespace

std::string to_json(const JoinOrder& order) {
  return json{{"schema", join_schema},
              {"deployment", order.deployment},
              {"role", order.role},
              {"profile", order.profile},
              {"files", order.files},
              {"scripts", order.scripts},
              {"key", to_base64(order.key)},
              {"hosts", order.hosts},
              {"monitoring", order.monitoring}}
      .dump();
}

JoinOrder parse_join_order(const std::string& text) try {
  const json body = parse_json(text);
  const JsonValue value(body);
  require_schema(value);
  return {value.at("deployment").text(),      value.at("role").text(),
          value.at("profile").text(),         texts_by_name(value.at("files")),
          texts_by_name(value.at("scripts")), value.at("monitoring").text(),
          bytes_of(value.at("key")),          texts_by_name(value.at("hosts"))};
} catch (const Error& error) {
  throw error.within("the order on stdin");
}

std::string to_json(const Joined& joined) {
  return json{{"schema", join_schema},
              {"changed", joined.changed},
              {"restarted", joined.restarted},
              {"key", to_base64(joined.key)},
              {"former_hosts", joined.former_hosts}}
      .dump();
}

Joined parse_joined(const std::string& text) try {
  const json body = parse_json(text);
  const JsonValue value(body);
  require_schema(value);
  return {value.at("changed").texts(), value.at("restarted").texts(), bytes_of(value.at("key")),
          texts_by_name(value.at("former_hosts"))};
} catch (const Error& error) {
  throw error.within("what it answered");
}

}  // namespace slipway::node
