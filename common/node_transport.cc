// The part `transport` of the node profile as JSON.
#include "common/node_transport.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Texts = std::vector<std::string>;

// A key only where something is said: most transports have few of these.
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

ordered_json to_json(const NodeTransport::Daemon& daemon) {
  ordered_json j = ordered_json::object();
  put(j, "name", daemon.name);
  put(j, "images", daemon.images);
  put(j, "command", daemon.command);
  put(j, "stop", daemon.stop);
  put(j, "socket", daemon.socket);
  put(j, "log_says", daemon.log_says);
  put(j, "deadline_seconds", daemon.deadline_seconds);
  return j;
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

std::vector<NodeTransport::Variable> variables_from(const json& list) {
  std::vector<NodeTransport::Variable> variables;
  for (const json& j : list) variables.push_back({j.at("name"), j.at("value"), j.at("why")});
  return variables;
}

NodeTransport::Daemon daemon_from(const json& j) {
  return {j.at("name"),
          j.value("images", Texts()),
          j.at("command"),
          j.value("stop", Texts()),
          j.value("socket", ""),
          j.value("log_says", ""),
          j.at("deadline_seconds")};
}

NodeTransport::Fatal fatal_from(const json& j) {
  return {j.value("nccl_from", ""),
          j.value("nccl_below", ""),
          j.value("plugin", ""),
          j.value("architecture", ""),
          j.value("variable", ""),
          j.value("value", ""),
          j.value("unlimited_stack", false),
          j.at("why")};
}

NodeTransport::Limits limits_from(const json& j) {
  return {j.value("memlock_bytes", int64_t{0}), j.value("dev_shm_bytes", int64_t{0}),
          j.value("bounded_stack_below", "")};
}

}  // namespace

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
  put_object(j, "daemon", to_json(transport.daemon));
  put_rows(j, "version_sets", transport.version_sets);
  put_object(j, "limits", to_json(transport.limits));
  put_rows(j, "fatal", transport.fatal);
  return j;
}

NodeTransport transport_from_json(const json& j) {
  NodeTransport transport;
  j.at("name").get_to(transport.name);
  transport.environment = variables_from(j.at("environment"));
  if (j.contains("single_node")) transport.single_node = variables_from(j.at("single_node"));
  if (j.contains("without_profile")) {
    transport.without_profile = variables_from(j.at("without_profile"));
  }
  if (j.contains("vendor_profile")) {
    const json& profile = j.at("vendor_profile");
    transport.vendor_profile = {profile.at("path"), profile.at("inputs")};
  }
  if (j.contains("libraries")) {
    const json& libraries = j.at("libraries");
    transport.libraries = {libraries.at("folder"), libraries.at("names"),
                           libraries.at("must_agree")};
  }
  if (j.contains("daemon")) transport.daemon = daemon_from(j.at("daemon"));
  for (const json& set : j.value("version_sets", json::array())) {
    transport.version_sets.push_back(
        {set.value("plugin", ""), set.value("daemon", ""), set.value("nccl", "")});
  }
  if (j.contains("limits")) transport.limits = limits_from(j.at("limits"));
  for (const json& fatal : j.value("fatal", json::array())) {
    transport.fatal.push_back(fatal_from(fatal));
  }
  return transport;
}

}  // namespace slipway
