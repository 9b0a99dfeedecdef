// Writes and reads the part `transport` of the node profile as JSON.
#include "common/node_transport.h"

#include <map>
#include <nlohmann/json.hpp>

#include "common/json.h"

namespace slipway {
namespace {

using nlohmann::ordered_json;
using Texts = std::vector<std::string>;

// Writes only keys that have a value, since most transports have few of them.
template <class Value>
void put(ordered_json& j, const char* key, const Value& value) {
  if (value != Value()) j[key] = value;
}

void put_object(ordered_json& j, const char* key, ordered_json object) {
  if (!object.empty()) j[key] = std::move(object);
}

ordered_json to_json(const std::vector<NodeTransport::Variable>& variables) {
  ordered_json list = ordered_json::array();
  for (const NodeTransport::Variable& variable : variables) {
    list.push_back({{"name", variable.name}, {"value", variable.value}, {"why", variable.why}});
  }
  return list;
}

ordered_json to_json(const NodeTransport::Limits& limits) {
  ordered_json j = ordered_json::object();
  put(j, "memlock_bytes", limits.memlock_bytes);
  put(j, "dev_shm_bytes", limits.dev_shm_bytes);
  put(j, "bounded_stack_below", limits.bounded_stack_below);
  return j;
}

ordered_json to_json(const NodeTransport::Fatal& fatal) {
  ordered_json j = ordered_json::object();
  put(j, "nccl_from", fatal.nccl_from);
  put(j, "nccl_below", fatal.nccl_below);
  put(j, "plugin", fatal.plugin);
  put(j, "architecture", fatal.architecture);
  put(j, "variable", fatal.variable);
  put(j, "value", fatal.value);
  put(j, "unlimited_stack", fatal.unlimited_stack);
  put(j, "why", fatal.why);
  return j;
}

ordered_json to_json(const NodeTransport::VersionSet& set) {
  ordered_json j = ordered_json::object();
  put(j, "plugin", set.plugin);
  put(j, "daemon", set.daemon);
  put(j, "nccl", set.nccl);
  return j;
}

template <class Row>
void put_rows(ordered_json& j, const char* key, const std::vector<Row>& rows) {
  for (const Row& row : rows) j[key].push_back(to_json(row));
}

constexpr int64_t longest_deadline_seconds = 3600;
constexpr int64_t largest_threshold_bytes = int64_t{1} << 50;

// Missing keys are empty, since most transports have few of them.
std::string text_or_empty(const JsonValue& j, const char* key) {
  const auto found = j.find(key);
  return found ? found->text() : "";
}

Texts texts_or_empty(const JsonValue& j, const char* key) {
  const auto found = j.find(key);
  return found ? found->texts() : Texts();
}

int64_t bytes_or_none(const JsonValue& j, const char* key) {
  const auto found = j.find(key);
  return found ? found->whole(1, largest_threshold_bytes) : 0;
}

std::vector<JsonValue> rows(const JsonValue& j, const char* key) {
  const auto found = j.find(key);
  return found ? found->items() : std::vector<JsonValue>();
}

std::vector<NodeTransport::Variable> variables_from(const std::vector<JsonValue>& rows) {
  std::vector<NodeTransport::Variable> variables;
  for (const JsonValue& j : rows) {
    variables.push_back({j.at("name").text(), j.at("value").text(), j.at("why").text()});
  }
  return variables;
}

NodeTransport::Fatal fatal_from(const JsonValue& j) {
  const auto unlimited_stack = j.find("unlimited_stack");
  return {text_or_empty(j, "nccl_from"),
          text_or_empty(j, "nccl_below"),
          text_or_empty(j, "plugin"),
          text_or_empty(j, "architecture"),
          text_or_empty(j, "variable"),
          text_or_empty(j, "value"),
          unlimited_stack && unlimited_stack->boolean(),
          j.at("why").text()};
}

NodeTransport::Limits limits_from(const JsonValue& j) {
  return {bytes_or_none(j, "memlock_bytes"), bytes_or_none(j, "dev_shm_bytes"),
          text_or_empty(j, "bounded_stack_below")};
}

std::map<std::string, std::string> text_map(const JsonValue& j) {
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : j.members()) map[key] = value.text();
  return map;
}

}  // namespace

ordered_json daemon_to_json(const NodeTransport::Daemon& daemon) {
  ordered_json j = ordered_json::object();
  put(j, "name", daemon.name);
  put(j, "images", daemon.images);
  put(j, "command", daemon.command);
  put(j, "stop", daemon.stop);
  put(j, "socket", daemon.socket);
  put(j, "log_says", daemon.log_says);
  put(j, "deadline_seconds", daemon.deadline_seconds);
  put(j, "query", daemon.query);
  put(j, "query_says", daemon.query_says);
  put(j, "nodes_file", daemon.nodes_file);
  return j;
}

NodeTransport::Daemon daemon_from_json(const JsonValue& j) {
  NodeTransport::Daemon daemon{j.at("name").text(),
                               texts_or_empty(j, "images"),
                               j.at("command").texts(),
                               texts_or_empty(j, "stop"),
                               text_or_empty(j, "socket"),
                               text_or_empty(j, "log_says"),
                               j.at("deadline_seconds").whole(1, longest_deadline_seconds),
                               texts_or_empty(j, "query"),
                               text_or_empty(j, "query_says"),
                               text_or_empty(j, "nodes_file")};
  if (daemon.command.empty()) j.at("command").expected("the program and its arguments");
  return daemon;
}

ordered_json transport_to_json(const NodeTransport& transport) {
  ordered_json j = {{"name", transport.name}, {"environment", to_json(transport.environment)}};
  put_object(j, "single_node", to_json(transport.single_node));
  put_object(j, "without_profile", to_json(transport.without_profile));
  if (!transport.vendor_profile.path.empty()) {
    j["vendor_profile"] = {{"path", transport.vendor_profile.path},
                           {"inputs", transport.vendor_profile.inputs}};
  }
  if (!transport.libraries.folder.empty()) {
    j["libraries"] = {{"folder", transport.libraries.folder},
                      {"names", transport.libraries.names},
                      {"must_agree", transport.libraries.must_agree}};
  }
  put_object(j, "daemon", daemon_to_json(transport.daemon));
  put_rows(j, "version_sets", transport.version_sets);
  put_object(j, "limits", to_json(transport.limits));
  put_rows(j, "fatal", transport.fatal);
  return j;
}

NodeTransport transport_from_json(const nlohmann::json& body) {
  const JsonValue j(body, "transport");
  NodeTransport transport;
  transport.name = j.at("name").text();
  transport.environment = variables_from(j.at("environment").items());
  transport.single_node = variables_from(rows(j, "single_node"));
  transport.without_profile = variables_from(rows(j, "without_profile"));
  if (const auto profile = j.find("vendor_profile")) {
    transport.vendor_profile = {profile->at("path").text(), text_map(profile->at("inputs"))};
  }
  if (const auto libraries = j.find("libraries")) {
    transport.libraries = {libraries->at("folder").text(), libraries->at("names").texts(),
                           libraries->at("must_agree").boolean()};
  }
  if (const auto daemon = j.find("daemon")) transport.daemon = daemon_from_json(*daemon);
  for (const JsonValue& set : rows(j, "version_sets")) {
    transport.version_sets.push_back(
        {text_or_empty(set, "plugin"), text_or_empty(set, "daemon"), text_or_empty(set, "nccl")});
  }
  if (const auto limits = j.find("limits")) transport.limits = limits_from(*limits);
  for (const JsonValue& fatal : rows(j, "fatal")) transport.fatal.push_back(fatal_from(fatal));
  return transport;
}

}  // namespace slipway
