// Starts and ends the services beside Slurm on a node.
#include "launcher/node/machine_services.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "common/child.h"
#include "common/error.h"
#include "launcher/health/policy.h"
#include "launcher/node/service_supervisor.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::chrono::seconds scrape_of_machines = 15s;

Service slipway_service(const std::string& program, const std::string& user,
                        const std::string& name) {
  return {{"/opt/slipway/libexec/slipway/" + program},
          user,
          fmt::format("{}/{}.log", log_folder, name),
          fmt::format("slipway-{}.service", name)};
}

void start_at_boots(const Service& service) {
  if (has_systemd()) {
    run_checked({"/bin/systemctl", "enable", "--now", "--quiet", service.unit});
    return;
  }
  const fs::path running = running_services / fs::path(service.argv[0]).filename();
  run_service(
      service, [&] { return fs::exists(running); }, IfRunning::keep, 0s);
}

}  // namespace

Service metrics_service(std::chrono::seconds scrape) {
  // The network is open to it and it reads only what everyone may read.
  Service service = slipway_service("serve-metrics", "nobody", "metrics");
  service.argv.insert(service.argv.end(), {"--interval", std::to_string(scrape.count()),
                                           "--slurm-interval", std::to_string(3 * scrape.count())});
  return service;
}

Service teller_service() {
  return slipway_service("serve-tell", "root", "tell");
}

Service admitter_service() {
  return slipway_service("serve-admission", "root", "admission");
}

std::vector<Service> wanted_services(const std::string& role, const std::string& monitoring,
                                     const std::map<std::string, std::string>& files) {
  std::vector<Service> services;
  if (monitoring != "none") services.push_back(metrics_service(scrape_of_machines));
  const auto policy = files.find("health.yaml");
  if (role != "controller" || policy == files.end()) return services;
  if (health::policy_tells(policy->second)) services.push_back(teller_service());
  if (health::policy_checks_deeply(policy->second)) services.push_back(admitter_service());
  return services;
}

std::vector<std::string> keep_services(const std::vector<Service>& wanted,
                                       const std::vector<std::string>& before) {
  std::vector<std::string> units;
  for (const Service& service : wanted) {
    start_at_boots(service);
    units.push_back(service.unit);
  }
  for (const std::string& unit : before) {
    if (std::ranges::find(units, unit) == units.end()) end_unit(unit);
  }
  return units;
}

void end_unit(const std::string& unit) {
  if (!has_systemd()) {
    throw Error(fmt::format("{} runs until the machine is off, since only systemd stops it", unit));
  }
  run_checked({"/bin/systemctl", "disable", "--now", "--quiet", unit});
}

}  // namespace slipway::node
