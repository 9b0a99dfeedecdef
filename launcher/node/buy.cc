// The ways to get a nodeset's machines.
#include "launcher/node/buy.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/node/trouble.h"

namespace slipway::node {
namespace {

using nlohmann::json;

// What Compute Engine wants to see with each provisioning model.
// https://docs.cloud.google.com/compute/docs/instances/provisioning-models
json scheduling_of(const Way& way) {
  json scheduling = {{"provisioningModel", way.model}, {"preemptible", way.model == "SPOT"}};
  if (way.model == "STANDARD") return scheduling;
  scheduling["onHostMaintenance"] = "TERMINATE";
  scheduling["automaticRestart"] = false;
  // Machines bound to a reservation or to a time end with it, and then nobody needs them.
  const std::string otherwise = way.model == "SPOT" ? "" : "DELETE";
  const std::string action = way.termination_action.empty() ? otherwise : way.termination_action;
  if (!action.empty()) scheduling["instanceTerminationAction"] = action;
  return scheduling;
}

json affinity_of(const Way& way) {
  if (!way.reservation.empty()) {
    return {{"consumeReservationType", "SPECIFIC_RESERVATION"},
            {"key", "compute.googleapis.com/reservation-name"},
            {"values", {way.reservation}}};
  }
  const bool may_use_any = way.model == "STANDARD";
  return {{"consumeReservationType", may_use_any ? "ANY_RESERVATION" : "NO_RESERVATION"}};
}

// Project and name of "NAME", "projects/P/reservations/NAME[/…]" and
// "projects/P/zones/Z/futureReservations/NAME".
struct ReservationPath {
  std::string project, zone, name;
};

ReservationPath reservation_path(const std::string& text, const std::string& own_project) {
  const std::vector<std::string> parts = split(text, '/');
  ReservationPath path{own_project, "", parts.empty() ? "" : parts[0]};
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (parts[i] == "projects") path.project = parts[i + 1];
    if (parts[i] == "zones") path.zone = parts[i + 1];
    if (parts[i] == "reservations" || parts[i] == "futureReservations") path.name = parts[i + 1];
  }
  return path;
}

// The zone that has the reservation or future reservation, and what the cloud says of it.
struct Reservation {
  std::string zone;
  json body;            // null: we may not read it
  std::string missing;  // not empty: there is none, and why
};

Reservation find_reservation(Compute& compute, const Nodes& nodeset, const ReservationPath& path,
                             const char* kind) {
  Compute owner(compute.cloud(), path.project, compute.patience());
  const std::vector<std::string> zones =
      path.zone.empty() ? nodeset.zones : std::vector<std::string>{path.zone};
  Reservation found;
  for (const std::string& zone : zones) {
    try {
      return {zone, owner.get(fmt::format("zones/{}/{}/{}", zone, kind, url_encode(path.name))),
              ""};
    } catch (const Refused& error) {
      // Another project's reservation can be used without the right to read it.
      if (error.status == 403 && path.project != nodeset.project) return {zone, nullptr, ""};
      found = {zone, nullptr, error.what()};
    }
  }
  return found;
}

// Dense reservations, and those of a calendar, want machines that are bound to them.
bool binds_machines(const json& reservation) {
  return text_of(reservation, "deploymentType") == "DENSE" ||
         text_of(reservation, "reservationMode") == "CALENDAR";
}

// Adds what a reservation asks of its machines. A reservation with its own placement brings it
// along; others than dense ones can have none.
void use_reservation(const json& reservation, Offer& offer) {
  if (!reservation.is_object()) return;
  const bool is_dense = text_of(reservation, "deploymentType") == "DENSE";
  // A future reservation has said it already.
  if (offer.way.future_reservation.empty()) {
    offer.way.model = binds_machines(reservation) ? "RESERVATION_BOUND" : "STANDARD";
  }
  json policies = json::array();
  const auto own = reservation.find("resourcePolicies");
  if (own != reservation.end() && own->is_object()) {
    for (const json& policy : *own) {
      if (policy.is_string()) policies.push_back(name_in(policy));
    }
  }
  offer.takes_placement = is_dense && policies.empty();
  if (!policies.empty()) offer.properties["resourcePolicies"] = policies;
}

// The reservation that was made for a future reservation; `missing` says why there is none.
void resolve_future(Compute& compute, const Nodes& nodeset, Offer& offer) {
  const ReservationPath path = reservation_path(offer.way.future_reservation, nodeset.project);
  const Reservation future = find_reservation(compute, nodeset, path, "futureReservations");
  offer.place = "zones/" + future.zone;
  offer.zones = {future.zone};
  if (!future.missing.empty()) {
    offer.missing = future.missing;
    return;
  }
  const auto status = future.body.find("status");
  const bool has_status = status != future.body.end() && status->is_object();
  const auto made = has_status ? status->find("autoCreatedReservations") : status;
  std::string link;
  if (has_status && made != status->end() && made->is_array() && !made->empty() &&
      made->front().is_string()) {
    link = made->front();
  }
  if (link.empty()) link = text_of(future.body, "reservationName");
  if (link.empty()) {
    offer.missing = fmt::format(
        "the future reservation {} has no reservation yet; it is {}", path.name,
        has_status ? text_of(*status, "procurementStatus") : std::string("of unknown status"));
    return;
  }
  offer.way.reservation = fmt::format("projects/{}/reservations/{}", path.project, name_in(link));
  offer.way.model = binds_machines(future.body) ? "RESERVATION_BOUND" : "STANDARD";
}

Offer reserved_offer(Compute& compute, const Nodes& nodeset, Offer offer) {
  if (!offer.way.future_reservation.empty()) resolve_future(compute, nodeset, offer);
  if (!offer.missing.empty()) return offer;
  ReservationPath path = reservation_path(offer.way.reservation, nodeset.project);
  if (!offer.way.future_reservation.empty()) path.zone = offer.zones.front();
  const Reservation found = find_reservation(compute, nodeset, path, "reservations");
  offer.place = "zones/" + found.zone;
  offer.zones = {found.zone};
  offer.missing = found.missing;
  use_reservation(found.body, offer);
  return offer;
}

// The whole region, if there are several zones, and then what it left over of each zone.
void add_places(const Nodes& nodeset, Offer offer, std::vector<Offer>& offers) {
  const bool has_several = nodeset.zones.size() > 1;
  if (has_several) {
    offer.zones = nodeset.zones;
    offer.place = "regions/" + region_of(nodeset.zones.front());
    offers.push_back(offer);
    if (offer.way.model == "FLEX_START") return;  // it waits in line there
    offer.is_rest = true;
  }
  for (const std::string& zone : nodeset.zones) {
    offer.zones = {zone};
    offer.place = "zones/" + zone;
    offers.push_back(offer);
  }
}

// Without the right to read the template, requests have only their own.
json template_scheduling(Compute& compute, const Nodes& nodeset) {
  const std::string name = name_in(template_path(nodeset.instance_template));
  if (name.empty()) return json::object();
  try {
    const json found = compute.get(
        fmt::format("global/instanceTemplates/{}?fields=properties/scheduling", url_encode(name)));
    return found.value(json::json_pointer("/properties/scheduling"), json::object());
  } catch (const Refused&) {
    return json::object();
  }
}

// A request's `scheduling` with what the template has besides. What belongs to the template's way
// to buy goes with that.
json with_template(json scheduling, const json& own) {
  if (own.contains("provisioningModel")) {
    for (const char* key : {"provisioningModel", "preemptible", "instanceTerminationAction",
                            "maxRunDuration", "terminationTime", "onInstanceStopAction"}) {
      scheduling.erase(key);
    }
  }
  scheduling.update(own);
  return scheduling;
}

void add_offers(Compute& compute, const Nodes& nodeset, const Way& way, const json& scheduling,
                std::vector<Offer>& offers) {
  Offer offer;
  offer.way = way;
  offer.scheduling = scheduling;
  const size_t first = offers.size();
  if (!way.reservation.empty() || !way.future_reservation.empty()) {
    offers.push_back(reserved_offer(compute, nodeset, std::move(offer)));
  } else {
    add_places(nodeset, std::move(offer), offers);
  }
  for (size_t i = first; i < offers.size(); ++i) {
    Offer& one = offers[i];
    one.label = name_in(one.place);
    if (nodeset.buy.size() > 1) one.label += ", " + way.model;
    if (one.way.model.empty()) continue;
    one.properties["scheduling"] = scheduling_of(one.way);
    one.properties["reservationAffinity"] = affinity_of(one.way);
  }
}

}  // namespace

std::vector<Offer> offers_of(Compute& compute, const Nodes& nodeset) {
  std::vector<Offer> offers;
  const json scheduling = template_scheduling(compute, nodeset);
  for (const Way& way : nodeset.buy) add_offers(compute, nodeset, way, scheduling, offers);
  if (nodeset.buy.empty()) add_offers(compute, nodeset, {}, scheduling, offers);
  return offers;
}

long run_seconds(const Way& way, long job_seconds) {
  const long most = way.max_run_duration_seconds;
  if (!way.use_job_duration || job_seconds <= 0) return most;
  const long seconds = std::max(job_seconds, way.min_run_duration_seconds);
  return most > 0 ? std::min(most, seconds) : seconds;
}

std::string run_time_problem(const Way& way, long job_seconds) {
  const long most = way.max_run_duration_seconds;
  if (!way.use_job_duration || most <= 0 || job_seconds <= most) return "";
  return fmt::format(
      "the job's time limit is {} seconds, and these machines run for at most {}: submit it with "
      "`--time={}`, in minutes, or less",
      job_seconds, most, most / 60);
}

json instance_properties(const Offer& offer, const Nodes& nodeset, long job_seconds,
                         const std::string& policy) {
  json properties = offer.properties;
  if (const long seconds = run_seconds(offer.way, job_seconds); seconds > 0) {
    json& scheduling = properties["scheduling"];
    scheduling["maxRunDuration"] = {{"seconds", std::to_string(seconds)}};
    if (!scheduling.contains("instanceTerminationAction")) {
      scheduling["instanceTerminationAction"] =
          offer.way.termination_action.empty() ? "DELETE" : offer.way.termination_action;
    }
  }
  if (!policy.empty()) properties["resourcePolicies"] = {policy};
  if (properties.contains("resourcePolicies")) {
    properties["scheduling"]["onHostMaintenance"] = "TERMINATE";
  }
  if (nodeset.maintenance && !nodeset.maintenance->interval.empty()) {
    properties["scheduling"]["maintenanceInterval"] = nodeset.maintenance->interval;
  }
  if (!nodeset.instance_properties.empty()) {
    properties.merge_patch(json::parse(nodeset.instance_properties));
  }
  const auto own = properties.find("scheduling");
  if (own != properties.end() && own->is_object()) *own = with_template(offer.scheduling, *own);
  return properties;
}

}  // namespace slipway::node
