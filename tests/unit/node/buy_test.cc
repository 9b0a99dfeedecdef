// Tests the requests to Compute Engine for each way to buy machines.
#include "launcher/node/buy.h"

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"
#include "tests/unit/node/fake_compute.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using nlohmann::json;
using test::FakeCompute;
using Names = std::vector<std::string>;

namespace {

std::vector<Offer> offers_for(FakeCompute& compute, const std::vector<Way>& buy,
                              const Names& zones = {"zone-a"}) {
  Nodes nodes;
  nodes.project = "p";
  nodes.zones = zones;
  nodes.buy = buy;
  nodes.instance_template =
      "https://www.googleapis.com/compute/v1/projects/p/global/instanceTemplates/t";
  Cloud cloud = compute.cloud();
  const Patience patience = compute.patience(60s);
  Compute of_project(cloud, "p", patience);
  return offers_of(of_project, nodes);
}

Way way_with(const std::string& model, const std::string& reservation,
             const std::string& future = "") {
  Way way;
  way.model = model;
  way.reservation = reservation;
  way.future_reservation = future;
  return way;
}

}  // namespace

TEST_CASE("buy: without ways, the template says everything") {
  FakeCompute compute;
  const auto offers = offers_for(compute, {});
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].place == "zones/zone-a");
  CHECK(offers[0].properties == json::object());
  CHECK(instance_properties(offers[0], {}, 0, "") == json::object());
}

TEST_CASE("buy: machines of a Spot nodeset end as the blueprint says") {
  FakeCompute compute;
  Way spot = way_with("SPOT", "");
  spot.termination_action = "STOP";
  CHECK(offers_for(compute, {spot})[0].properties["scheduling"] ==
        json::parse(R"({"provisioningModel": "SPOT", "preemptible": true, "automaticRestart": false,
          "onHostMaintenance": "TERMINATE", "instanceTerminationAction": "STOP"})"));
}

TEST_CASE("buy: an ordinary reservation is used by standard machines, without placement") {
  FakeCompute compute;
  compute.reservations["zone-b/r"] = {{"name", "r"}};
  const auto offers =
      offers_for(compute, {way_with("RESERVATION_BOUND", "r")}, {"zone-a", "zone-b"});
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].place == "zones/zone-b");
  CHECK_FALSE(offers[0].takes_placement);
  CHECK(offers[0].properties["scheduling"]["provisioningModel"] == "STANDARD");
  CHECK(offers[0].properties["reservationAffinity"]["values"] == json{"r"});
}

TEST_CASE("buy: a request has the whole scheduling, that of the template with its own") {
  FakeCompute compute;
  compute.template_scheduling = {{"onHostMaintenance", "TERMINATE"},
                                 {"automaticRestart", true},
                                 {"provisioningModel", "SPOT"},
                                 {"instanceTerminationAction", "STOP"}};
  const Offer standard = offers_for(compute, {way_with("STANDARD", "")})[0];
  CHECK(instance_properties(standard, {}, 0, "")["scheduling"] ==
        json::parse(R"({"onHostMaintenance": "TERMINATE", "automaticRestart": true,
          "provisioningModel": "STANDARD", "preemptible": false})"));
  const Offer as_template = offers_for(compute, {})[0];
  CHECK_FALSE(instance_properties(as_template, {}, 0, "").contains("scheduling"));
  Nodes maintained;
  maintained.maintenance = Maintenance{};
  maintained.maintenance->interval = "PERIODIC";
  CHECK(instance_properties(as_template, maintained, 0, "")["scheduling"] ==
        json::parse(R"({"onHostMaintenance": "TERMINATE", "automaticRestart": true,
          "provisioningModel": "SPOT", "instanceTerminationAction": "STOP",
          "maintenanceInterval": "PERIODIC"})"));
}

TEST_CASE("buy: a dense reservation binds its machines, and takes our placement if it has none") {
  FakeCompute compute;
  compute.reservations["zone-a/r"] = {{"name", "r"}, {"deploymentType", "DENSE"}};
  const Offer offer = offers_for(compute, {way_with("STANDARD", "r")})[0];
  CHECK(offer.properties["scheduling"]["provisioningModel"] == "RESERVATION_BOUND");
  CHECK(offer.takes_placement);
  CHECK(offer.properties["scheduling"]["instanceTerminationAction"] == "DELETE");
  CHECK(instance_properties(offer, {}, 0, "ours")["resourcePolicies"] == json{"ours"});
}

TEST_CASE("buy: a reservation that another project shares is used even if we may not read it") {
  FakeCompute compute;
  compute.trouble = {{"reservations/r", test::refused_with(403, "no right", "forbidden")}};
  const std::string name = "projects/owner/reservations/r";
  const Offer offer = offers_for(compute, {way_with("RESERVATION_BOUND", name)})[0];
  CHECK(offer.missing.empty());
  CHECK(offer.properties["scheduling"]["provisioningModel"] == "RESERVATION_BOUND");
  CHECK(offer.properties["reservationAffinity"]["values"] == json{name});
}

TEST_CASE("buy: a reservation that does not exist is not tried, and the reason says so") {
  FakeCompute compute;
  const Offer offer = offers_for(compute, {way_with("STANDARD", "r")})[0];
  CHECK(offer.missing.find("was not found") != std::string::npos);
}

TEST_CASE("buy: a future reservation is used through the reservation that was made for it") {
  FakeCompute compute;
  compute.future_reservations["zone-a/f"] = {
      {"reservationMode", "CALENDAR"},
      {"status",
       {{"procurementStatus", "FULFILLED"},
        {"autoCreatedReservations", {"https://compute/zones/zone-a/reservations/f-20261123-0"}}}}};
  compute.reservations["zone-a/f-20261123-0"] = {{"name", "f-20261123-0"}};
  const Way way = way_with("STANDARD", "", "projects/p/zones/zone-a/futureReservations/f");
  const Offer offer = offers_for(compute, {way})[0];
  CHECK(offer.missing.empty());
  CHECK(offer.properties["scheduling"]["provisioningModel"] == "RESERVATION_BOUND");
  CHECK(offer.properties["reservationAffinity"]["values"] ==
        json{"projects/p/reservations/f-20261123-0"});
}

TEST_CASE("buy: a future reservation that has not begun says how far it is") {
  FakeCompute compute;
  compute.future_reservations["zone-a/f"] = {{"status", {{"procurementStatus", "APPROVED"}}}};
  const Offer offer = offers_for(compute, {way_with("RESERVATION_BOUND", "", "f")})[0];
  CHECK(offer.missing == "the future reservation f has no reservation yet; it is APPROVED");
}

TEST_CASE("buy: machines may run as long as the job, and no longer than the blueprint says") {
  Way way;
  way.max_run_duration_seconds = 3600;
  CHECK(run_seconds(way, 60) == 3600);
  way.use_job_duration = true;
  CHECK(run_seconds(way, 60) == 60);
  CHECK(run_seconds(way, 7200) == 3600);
  CHECK(run_seconds(way, 0) == 3600);
  way.max_run_duration_seconds = 0;
  CHECK(run_seconds(way, 7200) == 7200);
}

TEST_CASE("buy: machines of a short job run as long as a request must ask for") {
  Way way;
  way.max_run_duration_seconds = 604800;
  way.min_run_duration_seconds = 600;
  way.use_job_duration = true;
  CHECK(run_seconds(way, 60) == 600);
  CHECK(run_seconds(way, 601) == 601);
}

TEST_CASE("buy: a job with a longer limit than its machines learns which one is possible") {
  Way way;
  way.max_run_duration_seconds = 3600;
  CHECK(run_time_problem(way, 7200).empty());
  way.use_job_duration = true;
  CHECK(run_time_problem(way, 0).empty());
  CHECK(run_time_problem(way, 3600).empty());
  CHECK(run_time_problem(way, 7200) ==
        "the job's time limit is 7200 seconds, and these machines run for at most 3600: submit it "
        "with `--time=60`, in minutes, or less");
}

TEST_CASE("buy: the blueprint's own properties have the last word") {
  Offer offer;
  offer.way.max_run_duration_seconds = 60;
  Nodes nodes;
  nodes.maintenance = Maintenance{"PERIODIC"};
  nodes.instance_properties =
      R"({"labels": {"a": "b"}, "scheduling": {"maintenanceInterval": "X"}})";
  CHECK(instance_properties(offer, nodes, 0, "policy") ==
        json::parse(R"({"labels": {"a": "b"}, "resourcePolicies": ["policy"], "scheduling": {
          "maxRunDuration": {"seconds": "60"}, "instanceTerminationAction": "DELETE",
          "onHostMaintenance": "TERMINATE", "maintenanceInterval": "X"}})"));
}
