// What a deployment needs from Google Cloud's projects besides quotas: services, rights, machine
// types in zones, reservations, images.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/google/definitions.h"
#include "launcher/google/service_table.h"

namespace slipway::google {

// A machine type and where it is wanted.
struct MachinePlace {
  std::string project, zone, type;
  auto operator<=>(const MachinePlace&) const = default;
};

struct ReservationNeed {
  std::string project, zone, name;
  std::string machine_type;
  int64_t machines = 0;  // with all on-demand nodes; 0: not known
  bool is_future = false;
  std::string module;
};

// An image in a project, by its family or by its own name.
struct ImageNeed {
  std::string project, family, name;
  auto operator<=>(const ImageNeed&) const = default;
};

struct ProjectNeeds {
  std::set<std::string> services;
  std::map<std::string, std::string> permissions;  // the role that has each of them
};

struct CloudNeeds {
  std::string project;  // the deployment's; empty if it is not known
  std::map<std::string, ProjectNeeds> projects;
  std::set<std::pair<std::string, std::string>> zones;  // project and zone
  std::set<MachinePlace> machines;
  std::vector<ReservationNeed> reservations;
  std::set<ImageNeed> images;            // without those that the deployment itself builds
  std::vector<std::string> not_checked;  // resource types without a row in `services`
};

// `definitions` are those of the deployment that `evaluation` is of. Values that are only known
// when the deployment is made are left out.
CloudNeeds cloud_needs(blueprint::Evaluation& evaluation, const Definitions& definitions,
                       const ServiceTable& services);

// The parts of a reservation's name: "NAME", "projects/P/reservations/NAME[/…]" or
// "projects/P/zones/Z/futureReservations/NAME". The zone may be empty.
struct ReservationName {
  std::string project, zone, name;
};
ReservationName reservation_name(const std::string& text, const std::string& own_project);

}  // namespace slipway::google
