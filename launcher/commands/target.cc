// The values of --target.
#include "launcher/commands/target.h"

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::commands {

void require_target(const std::string& target) {
  if (target.empty() || target == "local" || target == "google" || target == "hosts") return;
  throw UsageError(fmt::format("unknown target `{}`; known: local, google, hosts", target));
}

}  // namespace slipway::commands
