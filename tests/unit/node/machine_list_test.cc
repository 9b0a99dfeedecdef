// Tests reading the list of a cluster's machines.
#include "launcher/node/machine_list.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

MachineList listed(const char* page) {
  MachineList list;
  add_page(json::parse(page), "p", list);
  return list;
}

// Answers with one page after the other, and keeps the requests.
struct Pages {
  std::vector<std::string> pages;
  std::vector<std::string> asked{};

  Cloud cloud() {
    return Cloud([this](const HttpRequest& request) {
      if (request.url.ends_with("/token")) {
        return HttpAnswer{200, R"({"access_token": "t", "expires_in": 3599})", ""};
      }
      asked.push_back(request.url);
      return HttpAnswer{200, pages.at(std::min(asked.size(), pages.size()) - 1), ""};
    });
  }
};

const Patience second_of_patience{std::chrono::steady_clock::now() + 1s, nullptr};

}  // namespace

TEST_CASE("machine list: a machine with everything") {
  const MachineList list = listed(R"({"items": {"zones/zone-a": {"instances": [{
    "name": "c-gpu-0", "zone": "https://www.googleapis.com/compute/v1/projects/p/zones/zone-a",
    "status": "RUNNING", "creationTimestamp": "2026-11-23T02:00:00.500-08:00",
    "labels": {"slipway-cluster": "c", "slipway-nodeset": "gpu"},
    "scheduling": {"provisioningModel": "SPOT"},
    "metadata": {"items": [{"key": "slipway-role"}]},
    "resourcePolicies": ["https://x/projects/p/regions/r/resourcePolicies/c-gpu-7-0"],
    "resourceStatus": {"upcomingMaintenance": {"windowStartTime": "2026-11-24T10:00:00Z",
      "windowEndTime": "2026-11-24T11:00:00Z", "maintenanceStatus": "PENDING",
      "canReschedule": true}}}]},
    "zones/zone-b": {"warning": {"code": "NO_RESULTS_ON_PAGE"}}}})");
  REQUIRE(list.machines.size() == 1);
  const CloudMachine& machine = list.machines[0];
  CHECK(machine.zone == "zone-a");
  CHECK(machine.nodeset == "gpu");
  CHECK(machine.created == 1795428000);
  CHECK(machine.is_spot);
  CHECK_FALSE(machine.joins);
  CHECK(machine.policies == std::vector<std::string>{"c-gpu-7-0"});
  REQUIRE(machine.maintenance);
  CHECK(machine.maintenance->end - machine.maintenance->start == 3600);
  CHECK(machine.maintenance->can_start);
  CHECK_FALSE(machine.maintenance->ongoing);
  CHECK(list.unknown_zones.empty());
}

TEST_CASE("machine list: machines that register themselves are known by their metadata") {
  const MachineList list = listed(R"({"items": {"zones/z": {"instances": [{"name": "n",
    "zone": "z", "status": "RUNNING", "metadata": {"items": [{"key": "slipway-node-conf"}]}}]}}})");
  CHECK(list.machines.at(0).joins);
}

TEST_CASE("machine list: zones that did not answer are known") {
  CHECK(listed(R"({"items": {"zones/zone-b": {"warning": {"code": "UNREACHABLE"}}},
                   "unreachables": ["projects/p/zones/zone-c"]})")
            .unknown_zones == std::set<std::string>{"zone-b", "zone-c"});
}

TEST_CASE("machine list: what is not a list of machines is an error") {
  for (const char* page :
       {R"({"items": []})", R"({"items": {"z": 7}})", R"({"items": {"z": {"instances": [7]}}})",
        R"({"items": {"z": {"instances": [{"name": "n", "zone": "z"}]}}})",
        R"({"items": {"z": {"instances": [{"name": 7, "zone": "z", "status": "RUNNING"}]}}})"}) {
    INFO(page);
    CHECK_THROWS_AS(listed(page), Error);
  }
}

TEST_CASE("machine list: all pages of one request for the cluster's label") {
  Pages pages{{R"({"items": {"zones/z": {"instances": [{"name": "a", "zone": "z",
                   "status": "RUNNING"}]}}, "nextPageToken": "more/of it"})",
               R"({"items": {"zones/z": {"instances": [{"name": "b", "zone": "z",
                   "status": "RUNNING"}]}}})"}};
  Cloud cloud = pages.cloud();
  CHECK(list_machines(cloud, "p", "c", second_of_patience).machines.size() == 2);
  REQUIRE(pages.asked.size() == 2);
  CHECK(pages.asked[0].find("/projects/p/aggregated/instances?maxResults=500&filter="
                            "labels.slipway-cluster%3Dc&fields=") != std::string::npos);
  CHECK(pages.asked[1].ends_with("&pageToken=more%2Fof%20it"));
}

TEST_CASE("machine list: pages without end are an error") {
  Pages pages{{R"({"nextPageToken": "again"})"}};
  Cloud cloud = pages.cloud();
  CHECK_THROWS_AS(list_machines(cloud, "p", "c", second_of_patience), Error);
}

TEST_CASE("machine list: times in every form that the cloud has") {
  CHECK(seconds_of("2026-11-24T10:00:00Z") == 1795514400);
  CHECK(seconds_of("2026-11-24T10:00:00.123Z") == 1795514400);
  CHECK(seconds_of("2026-11-24T02:00:00.123-08:00") == 1795514400);
  CHECK(seconds_of("2026-11-24T15:30:00+05:30") == 1795514400);
  for (const char* time : {"", "soon", "2026-11-24", "2026-11-24T10:00:00", "2026-11-24T10:00:00+",
                           "2026-11-24T10:00:00+5"}) {
    INFO(time);
    CHECK(seconds_of(time) == 0);
  }
}
