// Checks that users of this machine cannot reach its metadata server, which hands out tokens of the
// machine's service account: docs/background/security.md.
#pragma once

#include <optional>
#include <string>

#include "launcher/health/context.h"

namespace slipway::health {

// A value is empty if it was not requested or could not be determined.
struct MetadataServer {
  std::optional<std::string> rules_made;  // at boot; "": boot made no rules
  std::optional<std::string> rules_now;   // in the kernel; "": it has no rules
  std::optional<bool> user_got_in;
};

// Tries to connect as an ordinary user. `with_rules` also reads the kernel's rules, which starts a
// process and is too slow while a job waits. Needs root.
MetadataServer read_metadata_server(bool with_rules);

void check_metadata_server(const MetadataServer& server, CheckRun& run);

}  // namespace slipway::health
