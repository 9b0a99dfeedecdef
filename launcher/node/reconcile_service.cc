// Starts what a machine does again and again by itself.
#include "launcher/node/reconcile_service.h"

#include <fmt/core.h>

#include <filesystem>

#include "common/error.h"
#include "launcher/node/machine_services.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

void start_loop(const Service& service, const char* otherwise, const Say& say) {
  const std::string unit = "/etc/systemd/system/" + service.unit;
  if (!std::filesystem::exists(has_systemd() ? unit : service.argv[0])) return;
  try {
    run_service(service);
  } catch (const Error& error) {
    say(fmt::format("{}; {}", error.what(), otherwise));
  }
}

}  // namespace

void start_reconciler(const Say& say) {
  start_loop({{"/opt/slipway/libexec/slipway/reconcile-nodes"},
              "root",
              fmt::format("{}/reconcile.log", log_folder),
              "slipway-reconcile.timer"},
             "static nodes do not start by themselves", say);
}

void start_exporter(const Say& say) {
  start_loop({{"/opt/slipway/libexec/slipway/export-jobs"},
              "slurm",
              fmt::format("{}/export.log", log_folder),
              "slipway-export.timer"},
             "finished jobs are not loaded into BigQuery", say);
}

void start_admitter(const Say& say) {
  start_loop(admitter_service(), "nodes whose deep checks are due get no jobs", say);
}

void start_teller(const Say& say) {
  start_loop(teller_service(), "nobody gets messages about drains and failures", say);
}

void start_follower(const Say& say) {
  start_loop({{"/opt/slipway/libexec/slipway/follow-configuration"},
              "root",
              fmt::format("{}/follow.log", log_folder),
              "slipway-follow.timer"},
             "a changed configuration is taken over at the next boot only", say);
}

}  // namespace slipway::node
