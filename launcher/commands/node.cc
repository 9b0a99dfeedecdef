// `slipway node`: what the machines of a cluster run by themselves.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "common/command_line.h"
#include "launcher/commands/node_cleanup.h"
#include "launcher/commands/node_describe.h"
#include "launcher/commands/node_export.h"
#include "launcher/commands/node_follow.h"
#include "launcher/commands/node_join.h"
#include "launcher/commands/node_power.h"
#include "launcher/commands/node_reconcile.h"
#include "launcher/commands/node_transport.h"
#include "launcher/commands/node_watch.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/verb.h"
#include "launcher/node/boot.h"
#include "launcher/node/metadata_guard.h"

namespace slipway::commands {
namespace {

int boot(Args args) {
  int seconds = 600;
  CommandLine line("slipway node boot", "Make this Google Cloud machine a node of its cluster.");
  line.about("The unit slipway-node.service runs it at every start of the machine.");
  line.option("deadline", "SECONDS", "give up after this long", &seconds);
  line.example("slipway node boot", "as root, on a machine that `slipway create` defined");
  line.example("slipway node boot --deadline 60", "find out quickly what is missing");
  line.see_also("slipway-node-guard(1)");
  if (!line.parse(args)) return 0;
  if (seconds <= 0) throw UsageError("--deadline takes a number of seconds above 0");
  require_root();
  forget_the_caller();
  node::Cloud cloud;
  node::boot(cloud, std::chrono::seconds(seconds), [](const std::string& what) {
    fmt::print(stderr, "slipway node boot: {}\n", what);
    std::fflush(stderr);
  });
  return 0;
}

int guard(Args args) {
  CommandLine line("slipway node guard",
                   "Close this machine's metadata server to every user but root.");
  line.about(
      "The unit slipway-guard.service runs it before the network is up. Later, `slipway node "
      "boot` admits the users that the blueprint names.");
  line.example("slipway node guard", "as root, on a machine that `slipway create` defined");
  line.example("systemctl status slipway-guard", "see whether it ran");
  line.see_also("slipway-node-boot(1)");
  if (!line.parse(args)) return 0;
  require_root();
  forget_the_caller();
  node::guard_metadata({}, [](const std::string&) {});
  return 0;
}

}  // namespace

int node(Args args) {
  return run_part(
      {"slipway node",
       "Run what the machines of a cluster run by themselves, to find out what went wrong.",
       "Services, slurmctld and slurmd run these commands; you need them for troubleshooting only.",
       {{"boot", boot},
        {"cleanup", node_cleanup},
        {"describe", node_describe},
        {"export", node_export},
        {"follow", node_follow},
        {"guard", guard},
        {"import-history", node_import_history},
        {"join", node_join},
        {"leave", node_leave},
        {"resume", node_resume},
        {"suspend", node_suspend},
        {"reconcile", node_reconcile},
        {"restart", node_restart},
        {"scripts", node_scripts},
        {"transport", node_transport},
        {"watch", node_watch}},
       {{"slipway node boot --deadline 60", "see why a machine does not join its cluster"},
        {"slipway exec quickstart controller -- slipway node restart slurmctld",
         "restart the controller of a local deployment"}}},
      args);
}

}  // namespace slipway::commands
