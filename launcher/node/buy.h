// The ways to get a nodeset's machines, as requests to Compute Engine: docs/guides/google-cloud.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launcher/node/compute.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// One way to buy, in one place.
struct Offer {
  std::string place;               // "zones/us-central1-a" or "regions/us-central1"
  std::vector<std::string> zones;  // of the place, which may be used
  Way way{};                       // its `model` is empty if the template says everything
  nlohmann::json properties = nlohmann::json::object();  // instanceProperties of bulkInsert
  // The template's `scheduling`, which a request with one of its own would replace as a whole.
  nlohmann::json scheduling = nlohmann::json::object();
  bool takes_placement = true;  // false: the reservation has its own, or can have none
  bool is_rest = false;         // for what a request to the whole region left over
  std::string label{};          // what errors begin with: "us-central1-a", "us-central1-a, SPOT"
  std::string missing{};        // not empty: it cannot be used, and why
};

// All offers for a nodeset, in the order to try them. Asks Compute Engine for the reservations that
// the nodeset names.
std::vector<Offer> offers_of(Compute& compute, const Nodes& nodeset);

// How long the machines may run: the job's time limit if the way says so and it is shorter, but as
// long as the cloud's requests must be. 0: no limit.
long run_seconds(const Way& way, long job_seconds);

// Why machines cannot run as long as a job whose time limit is theirs; empty if they can.
std::string run_time_problem(const Way& way, long job_seconds);

// The properties of machines for an offer: with its limit of time, the placement policy (a name, or
// empty), and at last those that the blueprint gives.
nlohmann::json instance_properties(const Offer& offer, const Nodes& nodeset, long job_seconds,
                                   const std::string& policy);

}  // namespace slipway::node
