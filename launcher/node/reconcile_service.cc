// Starts the reconciler with a controller.
#include "launcher/node/reconcile_service.h"

#include <fmt/core.h>

#include <filesystem>

#include "common/error.h"
#include "launcher/node/service.h"

namespace slipway::node {

void start_reconciler(const Say& say) {
  const Service service{{"/opt/slipway/libexec/slipway/reconcile-nodes"},
                        "root",
                        fmt::format("{}/reconcile.log", log_folder),
                        "slipway-reconcile.timer"};
  if (!std::filesystem::exists(service.argv[0])) return;
  try {
    run_service(
        service, [] { return false; }, IfRunning::keep, std::chrono::seconds(0));
  } catch (const Error& error) {
    say(fmt::format("{}; static nodes do not start by themselves", error.what()));
  }
}

}  // namespace slipway::node
