// The services beside Slurm on a node: metrics, messages to people, and deep checks of nodes.
// images/ and the package slipway-node have their units.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "launcher/node/service.h"

namespace slipway::node {

// Serves the node's metrics, and Slurm's on a controller; reads the node every `scrape` seconds and
// Slurm a third as often.
Service metrics_service(std::chrono::seconds scrape);

// On a controller: tells people what happens.
Service teller_service();

// On a controller: checks nodes deeply before jobs may have them.
Service admitter_service();

// What a machine of this role runs, by the blueprint's `monitoring` and Slurm's files, of which
// health.yaml is the policy.
std::vector<Service> wanted_services(const std::string& role, const std::string& monitoring,
                                     const std::map<std::string, std::string>& files);

// Starts these services, at each boot, too, and ends the units of `before` that are not among them.
// Returns the units that run. Throws Error.
std::vector<std::string> keep_services(const std::vector<Service>& wanted,
                                       const std::vector<std::string>& before);

// Ends a unit, at each boot, too. Throws Error.
void end_unit(const std::string& unit);

}  // namespace slipway::node
