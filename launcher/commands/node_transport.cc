// `slipway node transport`: starts and stops the daemon that a transport runs beside jobs.
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

// Nothing if the node profile is broken: that must not take the node from Slurm, as other jobs do
// not need the transport.
std::optional<NodeTransport> transport_of_node() {
  try {
    return load_node_profile().transport;
  } catch (const Error& error) {
    fmt::print(stderr, "slipway node transport: nothing done: {}\n", error.what());
    return std::nullopt;
  }
}

std::string job_of_slurm() {
  const std::string job = variable("SLURM_JOB_ID");
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos) {
    throw UsageError("SLURM_JOB_ID must have the number of the job");
  }
  return job;
}

// Whether the Prolog's job uses the transport: it has GPUs, on several nodes.
bool needs_daemon() {
  const std::string gpus = variable("SLURM_JOB_GPUS");
  std::string nodes = variable("SLURM_JOB_NODELIST");
  if (nodes.empty()) nodes = variable("SLURM_NODELIST");  // its older name
  return !gpus.empty() && node::names_several(nodes);
}

int start(Args args) {
  CommandLine line("slipway node transport start", "Start the transport's daemon before a job.");
  line.about(
      "Slurm's Prolog runs it as root. The daemon serves before a job with GPUs on several nodes "
      "begins; for other jobs, and transports without a daemon, it does nothing.");
  line.example(
      "SLURM_JOB_ID=7 SLURM_JOB_GPUS=0 SLURM_JOB_NODELIST=n-[0-1] slipway node transport start",
      "as slurmd runs it");
  line.example("slipway node transport stop --help", "what happens after the job");
  line.environment("SLURM_JOB_ID", "the job's number");
  line.environment("SLURM_JOB_GPUS", "its GPUs on this node");
  line.environment("SLURM_JOB_NODELIST", "its nodes");
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
  CommandLine line("slipway node transport stop",
                   "Stop the transport's daemon when no job needs it.");
  line.about("Slurm's Epilog runs it as root.");
  line.example("SLURM_JOB_ID=7 slipway node transport stop", "as slurmd runs it");
  line.example("slipway node transport start --help", "what happens before the job");
  line.environment("SLURM_JOB_ID", "the job's number");
  if (!line.parse(args)) return 0;
  require_root();
  const auto transport = transport_of_node();
  if (transport && !transport->daemon.name.empty()) {
    node::stop_daemon_for(job_of_slurm(), transport->daemon);
  }
  return 0;
}

int prepare(Args args) {
  CommandLine line("slipway node transport prepare",
                   "Pull the daemon's containers and record the versions of the libraries.");
  line.about("`slipway node boot` does it, too.");
  line.example("slipway node transport prepare", "as root");
  line.example("slipway node boot", "the whole boot");
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
                   "Manage the daemon that a network transport runs beside jobs.",
                   "GPUDirect-TCPX and GPUDirect-TCPXO have one; other transports do not.",
                   {{"start", start}, {"stop", stop}, {"prepare", prepare}},
                   {{"slipway node transport prepare", "pull the daemon's containers again"},
                    {"slipway node transport start --help", "see what happens before a job"}}},
                  args);
}

}  // namespace slipway::commands
