// slipway node transport: the daemon of a transport beside Slurm's jobs.
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "common/command_line.h"
#include "common/error.h"
#include "common/node_profile.h"
#include "launcher/commands/node_transport.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/verb.h"
#include "launcher/node/transport.h"

namespace slipway::commands {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What is wrong with the node profile is no reason to take the node from Slurm: jobs that need
// nothing of it run on.
std::optional<NodeTransport> transport_of_node() {
  try {
    return load_node_profile().transport;
  } catch (const Error& error) {
    fmt::print(stderr, "slipway node transport: nothing is done: {}\n", error.what());
    return std::nullopt;
  }
}

std::string job_of_slurm() {
  const std::string job = variable("SLURM_JOB_ID");
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos) {
    throw UsageError("Slurm calls this with the job's number in SLURM_JOB_ID");
  }
  return job;
}

// Of Slurm's Prolog. Those jobs that the transport is for have GPUs, on several nodes.
bool needs_daemon() {
  const std::string gpus = variable("SLURM_JOB_GPUS");
  std::string nodes = variable("SLURM_JOB_NODELIST");
  if (nodes.empty()) nodes = variable("SLURM_NODELIST");  // its older name
  return !gpus.empty() && node::names_several(nodes);
}

int start(Args args) {
  CommandLine line("slipway node transport start", "",
                   "Slurm's Prolog, where the transport has a daemon: has it serving before a job "
                   "with GPUs on several nodes begins, and does nothing for others.");
  line.example(
      "SLURM_JOB_ID=7 SLURM_JOB_GPUS=0 SLURM_JOB_NODELIST=n-[0-1] slipway node transport start",
      "as slurmd calls it");
  if (!line.parse(args)) return 0;
  require_root();
  const auto transport = transport_of_node();
  if (!transport) return 0;
  node::record_transport_versions(*transport);
  if (transport->daemon.name.empty() || !needs_daemon()) return 0;
  node::start_daemon_for(job_of_slurm(), transport->daemon);
  return 0;
}

int stop(Args args) {
  CommandLine line("slipway node transport stop", "",
                   "Slurm's Epilog: ends the transport's daemon when no job needs it any more.");
  line.example("SLURM_JOB_ID=7 slipway node transport stop", "as slurmd calls it");
  if (!line.parse(args)) return 0;
  require_root();
  const auto transport = transport_of_node();
  if (transport && !transport->daemon.name.empty()) {
    node::stop_daemon_for(job_of_slurm(), transport->daemon);
  }
  return 0;
}

int prepare(Args args) {
  CommandLine line("slipway node transport prepare", "",
                   "At boot: pulls the daemon's containers, and takes down which versions of the "
                   "transport's libraries are here.");
  line.example("slipway node transport prepare", "as root; `slipway node boot` does it, too");
  if (!line.parse(args)) return 0;
  require_root();
  const NodeTransport transport = load_node_profile().transport;
  node::record_transport_versions(transport);
  node::pull_images(transport.daemon);
  return 0;
}

}  // namespace

int node_transport(Args args) {
  return run_part({"slipway node transport",
                   "The daemon that a transport has beside jobs, and what is installed of it.",
                   {{"start", start}, {"stop", stop}, {"prepare", prepare}},
                   {{"slipway node transport start --help", "what happens before a job"},
                    {"slipway node transport prepare --help", "what happens at boot"}}},
                  args);
}

}  // namespace slipway::commands
