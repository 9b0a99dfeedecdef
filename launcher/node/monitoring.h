// The services of a monitored cluster: each node serves its metrics, and the controller may run
// Debian's Prometheus with Slipway's alerts.
#pragma once

#include <chrono>
#include <string>

#include "common/node_profile.h"
#include "launcher/node/machine.h"

namespace slipway::node {

inline constexpr int metrics_port = 9817;  // of `slipway metrics serve`
inline constexpr int prometheus_port = 9090;

// Prometheus' configuration: it scrapes the nodes that the controller's metrics list.
// `folder` has alerts.yaml.
std::string prometheus_configuration(const std::string& controller, const std::string& folder,
                                     std::chrono::seconds scrape);

// Starts what `monitoring` of the blueprint asks for ("none", "metrics" or "prometheus") on this
// node. Prometheus reads the metrics every `scrape` seconds. Throws Error.
void start_monitoring(const std::string& monitoring, const NodeProfile& profile,
                      std::chrono::seconds scrape);

// On a machine in the cloud, at its boot and later: starts what `monitoring` asks for and does not
// run, and ends what an earlier call started and the blueprint no longer asks for. Returns whether
// that has changed. Throws Error.
bool follow_monitoring(const std::string& monitoring, const NodeProfile& profile);

// The same for a machine that runs already, from its own profile; says what has changed.
void take_monitoring(const std::string& monitoring, const Say& say);

// Starts the service of a controller that tells people what happens. Throws Error.
void start_telling();

// Starts the service of a controller that checks nodes deeply before jobs may have them. Throws
// Error.
void start_admission();

}  // namespace slipway::node
