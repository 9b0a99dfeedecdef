// A Compute Engine for unit tests.
#include "tests/unit/node/fake_compute.h"

#include <fmt/core.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "common/text.h"

namespace slipway::test {
namespace {

using nlohmann::json;
using node::HttpAnswer;
using node::HttpRequest;
using namespace std::chrono_literals;

HttpAnswer fine(const json& body) {
  return {200, body.dump(), ""};
}

HttpAnswer not_found(const std::string& what) {
  return refused_with(404, fmt::format("The resource '{}' was not found", what), "notFound");
}

const std::map<std::string, std::string> error_messages = {
    {"QUOTA_EXCEEDED", "Quota 'NVIDIA_H100_GPUS' exceeded. Limit: 8.0 in region zone."},
    {"ZONE_RESOURCE_POOL_EXHAUSTED",
     "The zone does not have enough resources available to fulfill the request."}};

json error_with(const std::string& code) {
  const auto message = error_messages.find(code);
  return {{"errors",
           {{{"code", code},
             {"message", message == error_messages.end() ? "No words." : message->second}}}}};
}

std::map<std::string, std::string> query_of(const std::string& text) {
  std::map<std::string, std::string> query;
  for (const std::string& pair : split(text, '&')) {
    const size_t equals = pair.find('=');
    if (equals != pair.npos) query[pair.substr(0, equals)] = url_decoded(pair.substr(equals + 1));
  }
  return query;
}

bool is_mutation(const std::string& method) {
  return method != "GET";
}

}  // namespace

HttpAnswer refused_with(int status, const std::string& message, const std::string& reason) {
  const json one = {{"message", message}, {"domain", "usageLimits"}, {"reason", reason}};
  return {status,
          json{{"error", {{"code", status}, {"message", message}, {"errors", {one}}}}}.dump(), ""};
}

std::string url_decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

node::Patience FakeCompute::patience(std::chrono::seconds time) {
  return {now + time, [this](const std::string& what) { said.push_back(what); },
          [this](std::chrono::milliseconds slept) { now += slept; }, [this] { return now; }};
}

node::Cloud FakeCompute::cloud() {
  return node::Cloud([this](const HttpRequest& request) { return answer(request); },
                     [this](const std::vector<HttpRequest>& requests, size_t) {
                       sent_together = std::max(sent_together, static_cast<int>(requests.size()));
                       std::vector<HttpAnswer> answers;
                       for (const HttpRequest& request : requests) {
                         answers.push_back(answer(request));
                       }
                       return answers;
                     });
}

std::vector<std::string> FakeCompute::names() const {
  std::vector<std::string> names;
  for (const auto& [name, instance] : instances) names.push_back(name);
  return names;
}

// Ends what has ended.
void FakeCompute::pass_time() {
  std::erase_if(coming_, [&](const auto& coming) {
    if (now < coming.second.first) return false;
    instances[coming.first] = coming.second.second;
    return true;
  });
  std::erase_if(going_, [&](const auto& going) {
    if (now < going.second) return false;
    instances.erase(going.first);
    return true;
  });
}

bool FakeCompute::is_too_many(const std::string& method) {
  if (mutations_a_minute == 0 || !is_mutation(method)) return false;
  // The quota is filled up when a minute begins.
  const auto minute = std::chrono::floor<std::chrono::minutes>(now);
  if (minute != minute_) mutations_ = 0;
  minute_ = minute;
  return ++mutations_ > mutations_a_minute;
}

HttpAnswer FakeCompute::answer(const HttpRequest& request) {
  if (request.url.ends_with("/service-accounts/default/token")) {
    return {200, R"({"access_token": "t", "expires_in": 3599, "token_type": "Bearer"})", ""};
  }
  pass_time();
  static const std::regex form(
      "https://compute\\.googleapis\\.com/compute/(v1|beta)/projects/([^/]+)/([^?]*)(?:\\?(.*))?");
  std::smatch found;
  if (!std::regex_match(request.url, found, form)) return not_found(request.url);
  const std::string path = found[3];
  const std::string line =
      fmt::format("{} {}{}", request.method, found[1] == "beta" ? "beta " : "", path);
  for (auto one = trouble.begin(); one != trouble.end(); ++one) {
    if (line.find(one->first) == line.npos) continue;
    const HttpAnswer now_this = one->second;
    trouble.erase(one);
    return now_this;
  }
  if (is_too_many(request.method)) {
    return refused_with(403, "Quota exceeded for quota metric 'Queries'.", "rateLimitExceeded");
  }
  const auto query = query_of(found[4]);
  const auto id = query.find("requestId");
  if (id != query.end() && by_request_id_.contains(id->second)) return by_request_id_[id->second];
  if (is_mutation(request.method)) asked.push_back(line);
  const json body = request.body.empty() ? json() : json::parse(request.body);
  const HttpAnswer given = route(request.method, path, query, body);
  if (id != query.end()) by_request_id_[id->second] = given;
  return given;
}

HttpAnswer FakeCompute::route(const std::string& method, const std::string& path,
                              const std::map<std::string, std::string>& query, const json& body) {
  const std::vector<std::string> parts = split(path, '/');
  if (path == "global/instanceTemplates" && method == "POST") {
    templates[body["name"]] = body["properties"];
    return start_operation("global", {{"operationType", "insert"}}, 1s);
  }
  if (parts.size() < 3) return not_found(path);
  const std::string place = parts[0] + "/" + parts[1], kind = parts[2];
  const std::string name = parts.size() > 3 ? parts[3] : "";
  const auto filter = query.contains("filter") ? query.at("filter") : std::string();
  if (kind == "operations" && !name.empty()) return operation_now(name);
  if (kind == "operations") {
    json items = json::array();
    for (const json& child : children_) {
      const std::string wanted =
          fmt::format("operationGroupId=\"{}\"", child["operationGroupId"].get<std::string>());
      if (filter == wanted && child["zone"] == parts[1]) items.push_back(child);
    }
    return fine({{"items", items}});
  }
  if (kind == "instances" && name == "bulkInsert") return bulk_insert(place, body);
  if (kind == "instances" && method == "GET") return list(place, filter);
  if (kind == "instances" && method == "DELETE") return remove_instance(name);
  if (kind == "instances" && parts.size() == 5 && parts[4] == "start") {
    if (!instances.contains(name)) return not_found(path);
    instances[name].status = "RUNNING";
    return start_operation(place, {{"operationType", "start"}}, 0s);
  }
  if (kind == "reservations" || kind == "futureReservations") {
    const auto& all = kind == "reservations" ? reservations : future_reservations;
    const auto one = all.find(parts[1] + "/" + name);
    return one == all.end() ? not_found(path) : fine(one->second);
  }
  if (kind == "resourcePolicies" && method == "POST") {
    const std::string key = place + "/" + body["name"].get<std::string>();
    if (policies.contains(key)) return refused_with(409, "already exists", "alreadyExists");
    policies[key] = body;
    return start_operation(place, {{"operationType", "insert"}}, 1s);
  }
  if (kind == "resourcePolicies" && method == "DELETE") {
    for (const auto& [machine, instance] : instances) {
      const auto& own = instance.policies;
      if (std::ranges::find(own, name) != own.end()) {
        return refused_with(400,
                            fmt::format("The resource_policy '{}' is used by '{}'", name, machine),
                            "resourceInUseByAnotherResource");
      }
    }
    if (policies.erase(place + "/" + name) == 0) return not_found(path);
    return start_operation(place, {{"operationType", "delete"}}, 0s);
  }
  if (parts[0] == "global" && parts[1] == "operations") return operation_now(kind);
  if (parts[0] == "global" && parts[1] == "instanceTemplates") {
    if (method == "GET")
      return fine({{"name", kind},
                   {"properties", {{"machineType", "m"}, {"scheduling", template_scheduling}}}});
    if (templates.erase(kind) == 0) return not_found(path);
    return start_operation("global", {{"operationType", "delete"}}, 0s);
  }
  if (kind == "instanceGroupManagers") {
    const size_t end = (place + "/" + kind).size();
    return group_request(method, place, path.size() > end ? path.substr(end + 1) : "", body);
  }
  return not_found(path);
}

HttpAnswer FakeCompute::list(const std::string& place, const std::string& filter) {
  static const std::regex form("name eq \"(.*)\"");
  std::smatch pattern;
  if (!std::regex_match(filter, pattern, form)) {
    return refused_with(400, "Invalid value for field 'filter'", "invalid");
  }
  json items = json::array();
  for (const auto& [name, instance] : instances) {
    if ("zones/" + instance.zone != place) continue;
    if (!std::regex_match(name, std::regex(pattern[1].str()))) continue;
    json item = {{"name", name}, {"status", going_.contains(name) ? "STOPPING" : instance.status}};
    if (!instance.physical_host.empty()) {
      item["resourceStatus"]["physicalHost"] = instance.physical_host;
    }
    for (const std::string& policy : instance.policies) {
      item["resourcePolicies"].push_back("https://compute/regions/zone/resourcePolicies/" + policy);
    }
    items.push_back(item);
  }
  // An empty list has no "items".
  return fine(items.empty() ? json::object() : json{{"items", items}});
}

HttpAnswer FakeCompute::remove_instance(const std::string& name) {
  if (!instances.contains(name) || going_.contains(name)) return not_found(name);
  going_[name] = now + delete_takes;
  pass_time();
  return start_operation("zones/x", {{"operationType", "delete"}}, 0s);
}

void FakeCompute::add_child(const std::string& group, const std::string& zone,
                            const std::string& name, const std::string& code) {
  children_.push_back({{"operationGroupId", group},
                       {"operationType", "insert"},
                       {"status", "DONE"},
                       {"zone", zone},
                       {"targetLink", "https://compute/zones/" + zone + "/instances/" + name}});
  if (!code.empty()) children_.back()["error"] = error_with(code);
}

// All or nothing below minCount; the reasons of single machines are in operations of their own.
HttpAnswer FakeCompute::bulk_insert(const std::string& place, const json& body) {
  bodies.push_back(body);
  std::vector<std::string> zones = {place.substr(place.find('/') + 1)};
  if (place.starts_with("regions/")) {
    zones.clear();
    for (const auto& [zone, setting] : body["locationPolicy"]["locations"].items()) {
      zones.push_back(zone.substr(zone.find('/') + 1));
    }
  }
  std::vector<std::string> wanted;
  for (const auto& [name, properties] : body["perInstanceProperties"].items()) {
    if (instances.contains(name)) {
      return refused_with(409, fmt::format("The resource '{}' already exists", name),
                          "alreadyExists");
    }
    wanted.push_back(name);
  }
  const size_t least = std::stoul(body["minCount"].get<std::string>());
  const std::string group = fmt::format("group-{}", ++counter_);
  // A request to a region takes the zone with the most room.
  std::string zone = zones.front();
  const auto room_in = [&](const std::string& one) {
    if (errors.contains(one)) return 0;
    return room.contains(one) ? room[one] : 1'000'000;
  };
  for (const std::string& other : zones) {
    if (room_in(other) > room_in(zone)) zone = other;
  }
  const size_t fits = std::min(wanted.size(), static_cast<size_t>(room_in(zone)));
  json operation = {{"operationType", "bulkInsert"}, {"operationGroupId", group}};
  const std::string code = errors.contains(zone) ? errors[zone] : "ZONE_RESOURCE_POOL_EXHAUSTED";
  for (size_t i = fits; i < wanted.size(); ++i) add_child(group, zone, wanted[i], code);
  size_t made = fits;
  if (fits < least) {
    made = 0;
    operation["error"] = {
        {"errors",
         {{{"code", "VM_MIN_COUNT_NOT_REACHED"},
           {"message", "Requested minimum count of VMs could not be created."}}}}};
  }
  for (size_t i = 0; i < made; ++i) {
    add_child(group, zone, wanted[i], "");
    Instance instance{zone};
    instance.physical_host = fmt::format("/cluster/rack/{}", wanted[i]);
    instance.properties = body.value("instanceProperties", json::object());
    if (instance.properties.contains("resourcePolicies")) {
      instance.policies = instance.properties["resourcePolicies"];
    }
    coming_[wanted[i]] = {lists_at_end ? now + bulk_takes : now, instance};
  }
  pass_time();
  if (room.contains(zone)) room[zone] -= static_cast<int>(made);
  operation["instancesBulkInsertOperationMetadata"]["perLocationStatus"]["zones/" + zone] = {
      {"createdVmCount", made}, {"status", "DONE"}, {"targetVmCount", wanted.size()}};
  return start_operation(place, operation, bulk_takes);
}

HttpAnswer FakeCompute::group_request(const std::string& method, const std::string& place,
                                      const std::string& rest, const json& body) {
  if (method == "GET" && rest.empty()) {
    json items = json::array();
    for (const auto& [key, group] : groups) {
      if (key.starts_with(place + "/")) items.push_back({{"name", group["name"]}});
    }
    return fine({{"items", items}});
  }
  if (method == "POST" && rest.empty()) {
    groups[place + "/" + body["name"].get<std::string>()] = body;
    return start_operation(place, {{"operationType", "insert"}}, 1s);
  }
  const std::string name = rest.substr(0, rest.find('/'));
  const std::string key = place + "/" + name;
  if (!groups.contains(key)) return not_found(key);
  json& group = groups[key];
  const auto is_of_group = [&](const auto& one) { return one.second.group == name; };
  if (method == "DELETE") {
    std::erase_if(instances, is_of_group);
    groups.erase(key);
    return start_operation(place, {{"operationType", "delete"}}, 0s);
  }
  if (rest.ends_with("/resizeRequests")) {
    // https://docs.cloud.google.com/compute/docs/instance-groups/create-resize-requests-mig
    const json::json_pointer asked("/requestedRunDuration/seconds");
    const long seconds = std::stol(body.value(asked, std::string("600")));
    if (seconds < 600 || seconds > 604800) {
      return refused_with(400, "Invalid value for field 'requestedRunDuration'", "invalid");
    }
    group["resize"] = body;
    return start_operation(place, {{"operationType", "insert"}}, 1s);
  }
  if (rest.ends_with("/resizeRequests/nodes")) {
    if (!flex_has_capacity) return fine({{"state", "ACCEPTED"}});
    for (const json& one : group["resize"]["instances"]) {
      Instance instance{place.substr(place.find('/') + 1)};
      instance.group = name;
      instances[one["name"]] = instance;
    }
    return fine({{"state", "SUCCEEDED"}});
  }
  if (rest.ends_with("/listManagedInstances")) {
    json managed = json::array();
    for (const auto& [machine, instance] : instances) {
      if (instance.group == name) managed.push_back({{"instance", "zones/z/instances/" + machine}});
    }
    return fine({{"managedInstances", managed}});
  }
  if (rest.ends_with("/deleteInstances")) {
    for (const std::string link : body["instances"])
      instances.erase(link.substr(link.rfind('/') + 1));
    return start_operation(place, {{"operationType", "deleteInstances"}}, 0s);
  }
  return not_found(rest);
}

HttpAnswer FakeCompute::start_operation(const std::string&, json operation,
                                        std::chrono::seconds takes) {
  const std::string name = fmt::format("operation-{}", ++counter_);
  operation["name"] = name;
  json running = operation;
  running.erase("error");
  running["status"] = "RUNNING";
  operation["status"] = "DONE";
  operations_[name] = {operation, now + takes};
  return fine(running);
}

HttpAnswer FakeCompute::operation_now(const std::string& name) {
  if (!operations_.contains(name)) return not_found(name);
  const Operation& operation = operations_[name];
  if (now >= operation.done) return fine(operation.body);
  json running = operation.body;
  running.erase("error");
  running["status"] = "RUNNING";
  return fine(running);
}

}  // namespace slipway::test
