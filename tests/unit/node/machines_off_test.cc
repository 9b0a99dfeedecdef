// Tests of which machines the cloud reports as off, against a fake Compute Engine that pages,
// filters, refuses and fails like the real one.
#include <fmt/core.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <regex>

#include "common/error.h"
#include "launcher/node/power.h"
#include "tests/unit/catch.h"
#include "tests/unit/node/fake_compute.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;
using nlohmann::json;
using test::refused_with;
using test::url_decoded;

namespace {

ClusterFile two_nodesets() {
  ClusterFile cluster;
  cluster.cluster = "c";
  cluster.nodesets["gpu"] = {"p", {"zone-a", "zone-b"}, "projects/p/template", {}};
  cluster.nodesets["cpu"] = {"q", {"zone-a"}, "projects/q/template", {}};
  return cluster;
}

// Lists the machines of projects and zones. Rejects any other request, like the real one.
class FakeMachineLists {
 public:
  // "p/zone-a" → name → status
  std::map<std::string, std::map<std::string, std::string>> machines;
  std::deque<HttpAnswer> first;               // answers to the first list requests
  std::map<std::string, HttpAnswer> refuses;  // by project and zone
  int lists = 0;

  HttpAnswer answer(const HttpRequest& request) {
    if (request.url.ends_with("/service-accounts/default/token"))
      return {200, R"({"access_token": "t", "expires_in": 3599, "token_type": "Bearer"})", ""};
    if (request.headers != Names{"Authorization: Bearer t"})
      return refused_with(401, "Request is missing required authentication credential.",
                          "required");
    static const std::regex form(
        "https://compute\\.googleapis\\.com/compute/v1/projects/([^/]+)/zones/([^/]+)/instances\\?"
        "maxResults=(\\d+)&filter=([^&]+)&fields=[^&]+(?:&pageToken=([^&]+))?");
    std::smatch found;
    if (request.method != "GET" || !std::regex_match(request.url, found, form))
      return refused_with(404, "The requested URL was not found on this server.", "notFound");
    const std::string place = found[1].str() + "/" + found[2].str();
    ++lists;
    if (!first.empty()) {
      const HttpAnswer now = first.front();
      first.pop_front();
      return now;
    }
    if (refuses.contains(place)) return refuses[place];
    return list(place, url_decoded(found[4]), found[5].matched ? std::stoul(found[5]) : 0);
  }

 private:
  // A page has two machines, and an empty list has no "items".
  HttpAnswer list(const std::string& place, const std::string& filter, size_t begin) {
    static const std::regex form("name eq \"(.*)\"");
    std::smatch pattern;
    if (!std::regex_match(filter, pattern, form))
      return refused_with(400, "Invalid value for field 'filter'", "invalid");
    json items = json::array();
    for (const auto& [name, status] : machines[place]) {
      if (std::regex_match(name, std::regex(pattern[1].str())))
        items.push_back({{"name", name}, {"status", status}});
    }
    json answer = {{"kind", "compute#instanceList"}};
    for (size_t i = begin; i < std::min(begin + 2, items.size()); ++i)
      answer["items"].push_back(items[i]);
    if (begin + 2 < items.size()) answer["nextPageToken"] = std::to_string(begin + 2);
    return {200, answer.dump(), ""};
  }
};

Names off(FakeMachineLists& compute, const Names& nodes, std::chrono::milliseconds patience = 0s) {
  Cloud cloud([&](const HttpRequest& request) { return compute.answer(request); });
  // Waiting takes no time here.
  auto now = std::chrono::steady_clock::now();
  return machines_off(cloud, two_nodesets(), nodes,
                      {now + patience,
                       {},
                       [&](std::chrono::milliseconds time) { now += time; },
                       [&] { return now; }});
}

std::string failure(FakeMachineLists& compute, const Names& nodes) {
  try {
    off(compute, nodes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("machines off: by status; an unknown status counts as on") {
  for (const char* status : {"STOPPING", "STOPPED", "TERMINATED", "SUSPENDING", "SUSPENDED",
                             "DEPROVISIONING", "REPAIRING"}) {
    INFO(status);
    FakeMachineLists compute;
    compute.machines["p/zone-a"] = {{"c-gpu-0", status}, {"c-gpu-1", "RUNNING"}};
    CHECK(off(compute, {"c-gpu-0", "c-gpu-1"}) == Names{"c-gpu-0"});
  }
  for (const char* status :
       {"RUNNING", "PROVISIONING", "STAGING", "PENDING", "PENDING_STOP", "RESUMING", "?"}) {
    INFO(status);
    FakeMachineLists compute;
    compute.machines["p/zone-a"] = {{"c-gpu-0", status}};
    CHECK(off(compute, {"c-gpu-0"}).empty());
  }
}

TEST_CASE("machines off: a node that is missing in all of its nodeset's zones, over all pages") {
  FakeMachineLists compute;
  for (int i = 0; i < 7; ++i) {
    compute.machines[i % 2 == 0 ? "p/zone-a" : "p/zone-b"][fmt::format("c-gpu-{}", i)] =
        i == 5 ? "TERMINATED" : "RUNNING";
  }
  Names all;
  for (int i = 0; i < 8; ++i) all.push_back(fmt::format("c-gpu-{}", i));
  CHECK(off(compute, all) == Names{"c-gpu-5", "c-gpu-7"});
  // A machine of another nodeset with the same name.
  compute.machines["q/zone-a"] = {{"c-gpu-7", "RUNNING"}};
  compute.machines["p/zone-c"] = {{"c-gpu-7", "RUNNING"}};
  CHECK(off(compute, {"c-gpu-7"}) == Names{"c-gpu-7"});
}

TEST_CASE("machines off: does not ask about nodes without a nodeset") {
  FakeMachineLists compute;
  CHECK(off(compute, {"c-other-0", "d-gpu-0", "x"}).empty());
  CHECK(off(compute, {}).empty());
  CHECK(compute.lists == 0);
  compute.machines["q/zone-a"] = {{"c-cpu-0", "RUNNING"}};
  CHECK(off(compute, {"c-other-0", "c-cpu-0", "c-cpu-1"}) == Names{"c-cpu-1"});
}

TEST_CASE("machines off: if a zone refuses to answer, no node is off") {
  FakeMachineLists compute;
  compute.machines["p/zone-a"] = {{"c-gpu-0", "TERMINATED"}};
  compute.refuses["p/zone-b"] = refused_with(403,
                                             "Required 'compute.instances.list' permission for "
                                             "'projects/p/zones/zone-b'",
                                             "forbidden");
  CHECK(failure(compute, {"c-gpu-0"}).find("compute.instances.list") != std::string::npos);
  compute.refuses["p/zone-b"] =
      refused_with(404, "The resource 'projects/p/zones/zone-b' was not found", "notFound");
  CHECK(failure(compute, {"c-gpu-1"}).find("was not found") != std::string::npos);
}

TEST_CASE("machines off: retries passing errors, and reports others") {
  const std::vector<HttpAnswer> passing = {
      refused_with(503, "The service is currently unavailable.", "backendError"),
      refused_with(429, "Rate Limit Exceeded", "rateLimitExceeded"),
      refused_with(401, "Invalid Credentials", "authError"),
      {0, "", "connection timed out"},
      {200, "<html>a proxy</html>", ""}};
  for (const HttpAnswer& answer : passing) {
    INFO(answer.status << answer.body);
    FakeMachineLists compute;
    compute.machines["p/zone-b"] = {{"c-gpu-0", "RUNNING"}};
    compute.first = {answer};
    CHECK(off(compute, {"c-gpu-0", "c-gpu-1"}, 5s) == Names{"c-gpu-1"});
    compute.refuses["p/zone-a"] = answer;
    CHECK_FALSE(failure(compute, {"c-gpu-0"}).empty());
  }
}

TEST_CASE("machines off: an incomplete or invalid list reports no node as off") {
  for (const char* body :
       {R"({"items": 7})", R"({"items": [1]})", R"({"items": [{"name": "c-gpu-1"}]})",
        R"({"items": [{"status": "RUNNING"}]})", R"({"items": [{"name": 7, "status": []}]})",
        R"({"items": [], "nextPageToken": "forever"})"}) {
    INFO(body);
    FakeMachineLists compute;
    compute.refuses["p/zone-a"] = {200, body, ""};
    CHECK_FALSE(failure(compute, {"c-gpu-0"}).empty());
  }
}
