// Tests that destroying a cluster leaves no machine that Slurm made, with a cloud in memory.
#include "launcher/node/cleanup.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

struct MemoryCloud {
  std::map<std::string, std::string> machines{};  // status by name
  std::set<std::string> policies{}, groups{}, templates{};
  std::vector<std::string> requests{};
  int lists_until_gone = 1;           // a machine that is being deleted is gone after so many lists
  bool controller_makes_one = false;  // while it is being deleted
  int refuses = 0;                    // status of deletes

  Cloud cloud() {
    return Cloud([this](const HttpRequest& request) { return answer(request); });
  }

  HttpAnswer answer(const HttpRequest& request) {
    const auto ok = [](const json& body) { return HttpAnswer{200, body.dump(), ""}; };
    if (request.url.ends_with("/token")) return ok({{"access_token", "t"}, {"expires_in", 3599}});
    const std::string url = request.url.substr(request.url.find("/projects/"));
    requests.push_back(request.method + " " + url.substr(0, url.find('?')));
    const std::string path = url.substr(0, url.find('?')), name = last_part(path);
    if (path.ends_with("/aggregated/instances")) return ok(list());
    if (path.ends_with("/resourcePolicies")) return ok(list_policies());
    if (path.ends_with("/aggregated/instanceGroupManagers")) return ok(list_groups());
    if (path.ends_with("/global/instanceTemplates")) return ok(list_templates());
    if (request.method == "DELETE" && refuses != 0) {
      return {refuses, R"({"error": {"message": "Required permission is missing"}})", ""};
    }
    if (path.find("/instanceGroupManagers/") != path.npos) {
      groups.erase(name);
      return ok(json::object());
    }
    if (path.find("/instanceTemplates/") != path.npos) {
      templates.erase(name);
      return ok(json::object());
    }
    if (path.find("/resourcePolicies/") != path.npos) {
      policies.erase(name);
      return ok(json::object());
    }
    if (!machines.contains(name)) return {404, R"({"error": {"message": "not found"}})", ""};
    if (request.method == "GET") return ok({{"status", machines[name]}});
    if (name == "c-controller") {
      if (controller_makes_one) machines["c-gpu-9"] = "PROVISIONING";
      machines.erase(name);
    } else {
      machines[name] = "STOPPING";
    }
    return ok({{"status", "RUNNING"}});
  }

  json list() {
    json items = json::array();
    for (const auto& [name, status] : machines) {
      json one{{"name", name}, {"zone", "zones/us-central1-a"}, {"status", status}};
      one["labels"]["slipway-cluster"] = "c";
      if (name.starts_with("c-gpu-")) one["labels"]["slipway-nodeset"] = "gpu";
      items.push_back(one);
    }
    if (--lists_until_gone <= 0) {
      std::erase_if(machines, [](const auto& one) { return one.second == "STOPPING"; });
    }
    return {{"items", {{"zones/us-central1-a", {{"instances", items}}}}}};
  }

  json list_groups() const {
    json rows = json::array();
    for (const std::string& name : groups) rows.push_back({{"name", name}});
    return {{"items", {{"regions/us-central1", {{"instanceGroupManagers", rows}}}}}};
  }

  json list_templates() const {
    json items = json::array();
    for (const std::string& name : templates) items.push_back({{"name", name}});
    return {{"items", items}};
  }

  json list_policies() const {
    json items = json::array();
    for (const std::string& name : policies) {
      items.push_back({{"name", name}, {"groupPlacementPolicy", json::object()}});
    }
    return {{"items", items}};
  }
};

const ClusterPlaces places{"c", {"p"}, {"us-central1"}};
const std::vector<ControllerMachine> controllers = {{"p", "us-central1-a", "c-controller"}};

Patience for_time(std::chrono::milliseconds time) {
  return {std::chrono::steady_clock::now() + time, nullptr};
}

void ignore(const std::string&) {}

}  // namespace

TEST_CASE("cleanup: the controller goes first, then every machine of its nodes, then policies") {
  MemoryCloud fake;
  fake.machines = {{"c-controller", "RUNNING"}, {"c-login-0", "RUNNING"}, {"c-gpu-0", "RUNNING"},
                   {"c-gpu-1", "TERMINATED"},   {"c-gpu-x7", "RUNNING"},  {"c-gpu-2", "STOPPING"}};
  fake.policies = {"c-gpu-17-0", "c-gpu-placement", "c-train-gpu-17-0", "c-train-gpu-static-0",
                   "other-gpu-17-0"};
  Cloud cloud = fake.cloud();
  std::vector<std::string> said;
  remove_made(cloud, places, controllers, for_time(20s),
              [&](const std::string& line) { said.push_back(line); });
  CHECK(said == std::vector<std::string>{"deleting c-controller, so that it makes no more machines",
                                         "deleting 3 machines that Slurm started",
                                         "deleted placement policies: c-gpu-17-0"});
  CHECK(fake.machines ==
        std::map<std::string, std::string>{{"c-gpu-x7", "RUNNING"}, {"c-login-0", "RUNNING"}});
  // The cluster c-train is another one.
  CHECK(fake.policies == std::set<std::string>{"c-gpu-placement", "c-train-gpu-17-0",
                                               "c-train-gpu-static-0", "other-gpu-17-0"});
  CHECK(std::ranges::find(fake.requests,
                          "DELETE /projects/p/zones/us-central1-a/instances/c-gpu-0") !=
        fake.requests.end());
}

TEST_CASE(
    "cleanup: groups of flex-start machines go before the machines, and then their templates") {
  MemoryCloud fake;
  fake.groups = {"c-gpu-flex-12-0a1b2c", "c-gpu-flex-none-0a1b2d", "c-web-flex-servers"};
  fake.templates = {"c-gpu-flex-12-0a1b2c", "c-gpu-flex-9-00ffee", "c-gpu-flexible",
                    "d-gpu-flex-9-00ffee"};
  Cloud cloud = fake.cloud();
  std::vector<std::string> said;
  remove_made(cloud, places, {}, for_time(20s),
              [&](const std::string& line) { said.push_back(line); });
  CHECK(said == std::vector<std::string>{"deleting 2 groups of flex-start machines"});
  CHECK(fake.groups == std::set<std::string>{"c-web-flex-servers"});
  CHECK(fake.templates == std::set<std::string>{"c-gpu-flexible", "d-gpu-flex-9-00ffee"});
}

TEST_CASE("cleanup: a machine that the controller still made goes, too") {
  MemoryCloud fake;
  fake.machines = {{"c-controller", "RUNNING"}};
  fake.controller_makes_one = true;
  Cloud cloud = fake.cloud();
  remove_made(cloud, places, controllers, for_time(20s), ignore);
  CHECK(fake.machines.empty());
}

TEST_CASE("cleanup: nothing left is nothing to do") {
  MemoryCloud fake;
  Cloud cloud = fake.cloud();
  std::vector<std::string> said;
  remove_made(cloud, places, controllers, for_time(20s),
              [&](const std::string& line) { said.push_back(line); });
  CHECK(said.empty());
  for (const std::string& request : fake.requests) CHECK_FALSE(request.starts_with("DELETE"));
}

TEST_CASE("cleanup: when time is up, it names the remaining machines") {
  MemoryCloud fake;
  fake.machines = {{"c-gpu-0", "RUNNING"}, {"c-gpu-1", "RUNNING"}};
  fake.lists_until_gone = 1'000'000;
  Cloud cloud = fake.cloud();
  CHECK_THROWS_WITH(remove_made(cloud, places, {}, for_time(600ms), ignore),
                    "cannot get the end of the cluster's machines: 2 are left: c-gpu-0, c-gpu-1");
}

TEST_CASE("cleanup: machines are deleted many at a time") {
  MemoryCloud fake;
  for (int i = 0; i < 250; ++i) fake.machines["c-gpu-" + std::to_string(i)] = "RUNNING";
  size_t largest = 0;
  Cloud cloud([&](const HttpRequest& request) { return fake.answer(request); },
              [&](const std::vector<HttpRequest>& requests, size_t) {
                largest = std::max(largest, requests.size());
                std::vector<HttpAnswer> answers;
                for (const HttpRequest& request : requests) answers.push_back(fake.answer(request));
                return answers;
              });
  remove_made(cloud, places, {}, for_time(20s), ignore);
  CHECK(fake.machines.empty());
  CHECK(largest == 100);
}

TEST_CASE("cleanup: a refusal is an error") {
  MemoryCloud fake;
  fake.machines = {{"c-gpu-0", "RUNNING"}};
  fake.refuses = 400;
  Cloud cloud = fake.cloud();
  CHECK_THROWS_WITH(remove_made(cloud, places, {}, for_time(20s), ignore),
                    "Required permission is missing");
}
