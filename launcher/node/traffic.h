// A record of what this machine asks Compute Engine, for as long as its root wants one:
// docs/first-day.md.
#pragma once

#include <string>

#include "launcher/node/http.h"

namespace slipway::node {

// Root creates it to begin, and removes it to end. It must belong to root, and nobody else may be
// able to write it.
inline constexpr const char* traffic_switch = "/etc/slipway/record-traffic";

// A line of the record, as tests/fakes/google/README.md describes it; empty for other services than
// Compute Engine, whose answers may have secrets. Headers, and so the token, are never part of it.
std::string traffic_line(const HttpRequest& request, const HttpAnswer& answer);

// Appends the line to /var/log/slipway-traffic.jsonl, or for Slurm's user, who makes nodes, to
// /var/log/slurm/slipway-traffic.jsonl: readable by its owner only, and at most 200 MB. Does
// nothing without the switch, and never fails.
void record_traffic(const HttpRequest& request, const HttpAnswer& answer);

}  // namespace slipway::node
