// `slipway doctor google`: zones, machine types, images and reservations.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/commands/doctor_google.h"

namespace slipway::commands {
namespace {

using google::CloudNeeds;
using google::ImageNeed;
using google::MachinePlace;
using google::ReservationNeed;
using State = Requirement::State;

constexpr const char* compute_service = "compute.googleapis.com";

std::string compute_url(const std::string& project, const std::string& rest) {
  return fmt::format("https://compute.googleapis.com/compute/v1/projects/{}/{}", project, rest);
}

// A name in a blueprint can be any text; a URL takes only what a name may have.
bool is_resource_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// What could not be found, or could not be asked.
Requirement refused(Requirement finding, const Reply& reply, const std::string& project,
                    std::string remedy) {
  if (reply.status != 404 && reply.status != 400) {
    return not_known(finding.name, finding.purpose, reply, project, compute_service);
  }
  finding.state = State::missing;
  finding.found = reply.problem;
  finding.remedy = std::move(remedy);
  return finding;
}

Requirement ask_zone(Inquiry& inquiry, const std::string& project, const std::string& zone) {
  Requirement finding{"zone " + zone, "where machines are"};
  const Reply reply = inquiry.get(compute_url(project, "zones/" + zone));
  if (!reply.is_ok()) {
    return refused(std::move(finding), reply, project,
                   fmt::format("`gcloud compute zones list --project {}` lists the zones that the "
                               "project can use",
                               project));
  }
  if (const std::string status = text_at(reply.body, "status"); status != "UP") {
    finding.state = State::warning;
    finding.found = fmt::format("its status is {}", status);
    finding.remedy = "https://status.cloud.google.com says what is wrong there";
  }
  return finding;
}

Requirement ask_machine(Inquiry& inquiry, const MachinePlace& machine) {
  Requirement finding{fmt::format("{} in {}", machine.type, machine.zone), "machines of this type"};
  const Reply reply = inquiry.get(compute_url(
      machine.project, fmt::format("zones/{}/machineTypes/{}", machine.zone, machine.type)));
  if (!reply.is_ok()) {
    return refused(std::move(finding), reply, machine.project,
                   fmt::format("`gcloud compute machine-types list --project {} --filter name={}` "
                               "lists the zones that offer it",
                               machine.project, machine.type));
  }
  finding.found = fmt::format("{:.0f} CPUs, {:.0f} GiB", number_at(reply.body, "guestCpus"),
                              number_at(reply.body, "memoryMb") / 1024);
  return finding;
}

Requirement ask_image(Inquiry& inquiry, const ImageNeed& image) {
  const std::string& name = image.family.empty() ? image.name : image.family;
  Requirement finding{fmt::format("image {} of {}", name, image.project),
                      "what machines boot from"};
  const Reply reply = inquiry.get(compute_url(image.project, image.family.empty()
                                                                 ? "global/images/" + name
                                                                 : "global/images/family/" + name));
  if (!reply.is_ok()) {
    return refused(std::move(finding), reply, image.project,
                   "build it with `images/build.sh`, as docs/guides/images.md describes");
  }
  finding.found = text_at(reply.body, "name");
  const auto deprecated = reply.body.find("deprecated");
  if (deprecated != reply.body.end() && text_at(*deprecated, "state") == "OBSOLETE") {
    finding.state = State::missing;
    finding.found += " is obsolete";
    finding.remedy = "name a newer image";
  }
  return finding;
}

std::string list_reservations(const std::string& project, bool is_future) {
  return fmt::format("`gcloud compute {}reservations list --project {}`",
                     is_future ? "future-" : "", project);
}

// What is wrong with a reservation that exists; empty if nothing is.
std::string problem_of(const nlohmann::json& reservation, const ReservationNeed& need) {
  const std::string status = text_at(reservation, "status");
  if (status != "READY") return fmt::format("its status is {}", status);
  const auto specific = reservation.find("specificReservation");
  if (specific == reservation.end()) return {};
  const auto properties = specific->find("instanceProperties");
  const std::string type = properties == specific->end() ? "" : text_at(*properties, "machineType");
  if (!type.empty() && !need.machine_type.empty() && type != need.machine_type) {
    return fmt::format("it is for {}, not {}", type, need.machine_type);
  }
  const double count = number_at(*specific, "count"), used = number_at(*specific, "inUseCount");
  if (count - used < static_cast<double>(need.machines)) {
    return fmt::format("module `{}` needs {} machines, {:.0f} of {:.0f} are free", need.module,
                       need.machines, count - used, count);
  }
  return {};
}

Requirement ask_reservation(Inquiry& inquiry, const ReservationNeed& need, bool is_ours) {
  Requirement finding{fmt::format("reservation {}", need.name),
                      fmt::format("machines of module `{}`", need.module)};
  const Reply reply = inquiry.get(
      compute_url(need.project,
                  fmt::format("zones/{}/{}/{}", need.zone,
                              need.is_future ? "futureReservations" : "reservations", need.name)));
  if (!reply.is_ok()) {
    finding = refused(
        std::move(finding), reply, need.project,
        list_reservations(need.project, need.is_future) + " lists yours, each with its zone");
    // Machines may use a shared reservation that their project may not read.
    if (!is_ours && reply.status == 403) {
      finding.remedy =
          fmt::format("ask the owner of {} whether it is shared with you", need.project);
    }
    return finding;
  }
  const std::string problem = need.is_future ? std::string() : problem_of(reply.body, need);
  if (problem.empty()) return finding;
  finding.state = State::missing;
  finding.found = problem;
  finding.remedy = list_reservations(need.project, need.is_future) +
                   " lists yours; take fewer nodes, or another reservation";
  return finding;
}

// What a deployment file has before it is filled in, or a mistake.
Requirement bad_name(const std::string& what, const std::string& name) {
  return {fmt::format("{} {}", what, name),           "", State::missing,
          "a name has small letters, digits and `-`", "", "correct it in the blueprint"};
}

}  // namespace

std::vector<Requirement> ask_places(Inquiry& inquiry, const CloudNeeds& needs,
                                    const std::set<std::string>& closed) {
  std::vector<Requirement> found;
  for (const auto& [project, zone] : needs.zones) {
    if (closed.contains(project)) continue;
    found.push_back(is_resource_name(zone) ? ask_zone(inquiry, project, zone)
                                           : bad_name("zone", zone));
  }
  for (const MachinePlace& machine : needs.machines) {
    if (closed.contains(machine.project) || !is_resource_name(machine.zone)) continue;
    found.push_back(is_resource_name(machine.type) ? ask_machine(inquiry, machine)
                                                   : bad_name("machine type", machine.type));
  }
  for (const ImageNeed& image : needs.images) {
    if (closed.contains(image.project) || !is_project_id(image.project)) continue;
    const std::string& name = image.family.empty() ? image.name : image.family;
    found.push_back(is_resource_name(name) ? ask_image(inquiry, image) : bad_name("image", name));
  }
  return found;
}

std::vector<Requirement> ask_reservations(Inquiry& inquiry, const CloudNeeds& needs,
                                          const std::set<std::string>& closed) {
  std::vector<Requirement> found;
  for (const ReservationNeed& need : needs.reservations) {
    if (closed.contains(need.project)) continue;
    const bool is_named =
        is_resource_name(need.name) && is_resource_name(need.zone) && is_project_id(need.project);
    found.push_back(is_named ? ask_reservation(inquiry, need, need.project == needs.project)
                             : bad_name("reservation", need.name));
  }
  return found;
}

}  // namespace slipway::commands
