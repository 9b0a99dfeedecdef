// Whether users of this machine can reach its metadata server, which hands out the machine's
// service account: docs/security.md.
#pragma once

#include <optional>
#include <string>

#include "launcher/health/context.h"

namespace slipway::health {

// Each of them is nothing where it was not asked for or could not be told.
struct MetadataServer {
  std::optional<std::string> rules_made;  // as the boot left them; empty: it has made none
  std::optional<std::string> rules_now;   // as the kernel has them; empty: there are none
  std::optional<bool> user_got_in;
};

// Tries to connect as an ordinary user, and asks the kernel for the rules, which takes a process:
// too long where a job waits. As root.
MetadataServer read_metadata_server(bool with_rules);

void check_metadata_server(const MetadataServer& server, Looking& looking);

}  // namespace slipway::health
