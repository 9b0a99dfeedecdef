// `slipway node transport`: starts and stops the daemon that a transport runs beside jobs.
#include <fmt/core.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/node_profile.h"
#include "launcher/commands/node_transport.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/verb.h"
#include "launcher/node/host_names.h"
#include "launcher/node/transport.h"

namespace slipway::commands {
namespace {

// Nothing if the node profile is broken: that must not take the node from Slurm, as other jobs do
// not need the transport.
std::optional<NodeProfile> profile_of_node() {
  try {
    return load_node_profile();
  } catch (const Error& error) {
    fmt::print(stderr, "slipway node transport: nothing done: {}\n", error.what());
    return std::nullopt;
  }
}

std::string job_of_slurm() {
  const std::string job = environment_variable("SLURM_JOB_ID");
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos) {
    throw UsageError("SLURM_JOB_ID must have the number of the job");
  }
  return job;
}

// The nodes of the Prolog's job as a hostlist of Slurm.
std::string nodes_of_job() {
  const std::string nodes = environment_variable("SLURM_JOB_NODELIST");
  return nodes.empty() ? environment_variable("SLURM_NODELIST") : nodes;  // its older name
}

// Whether the Prolog's job uses the transport: it has GPUs, on several nodes.
bool needs_daemons() {
  return !environment_variable("SLURM_JOB_GPUS").empty() && node::names_several(nodes_of_job());
}

// The daemons beside a job in the order in which they start: the machine type's, then the
// transport's, which may build on them.
std::vector<NodeTransport::Daemon> daemons_of(const NodeProfile& profile) {
  std::vector<NodeTransport::Daemon> daemons = profile.daemons;
  if (!profile.transport.daemon.name.empty()) daemons.push_back(profile.transport.daemon);
  return daemons;
}

// The transport's daemon has the folder for itself, each of the machine type's one in it.
node::TransportPlaces places_of(const NodeProfile& profile, const NodeTransport::Daemon& daemon) {
  node::TransportPlaces places;
  if (daemon.name != profile.transport.daemon.name) places.state /= daemon.name;
  return places;
}

void start_for_job(const NodeProfile& profile, const NodeTransport::Daemon& daemon) {
  std::vector<std::string> addresses;
  if (!daemon.nodes_file.empty())
    addresses = node::addresses_of_nodes(node::host_names(nodes_of_job()));
  node::start_daemon_for(job_of_slurm(), daemon, places_of(profile, daemon), addresses);
}

int start(Args args) {
  CommandLine line("slipway node transport start",
                   "Start the daemons of the transport and the machine type before a job.");
  line.about(
      "Slurm's Prolog runs it as root. The daemons serve before a job with GPUs on several nodes "
      "begins; for other jobs, and machines without a daemon, it does nothing.");
  line.example(
      "SLURM_JOB_ID=7 SLURM_JOB_GPUS=0 SLURM_JOB_NODELIST=n-[0-1] slipway node transport start",
      "as slurmd runs it");
  line.example("slipway node transport stop --help", "what happens after the job");
  line.environment("SLURM_JOB_ID", "the job's number");
  line.environment("SLURM_JOB_GPUS", "its GPUs on this node");
  line.environment("SLURM_JOB_NODELIST", "its nodes");
  if (!line.parse(args)) return 0;
  require_root();
  const auto profile = profile_of_node();
  if (!profile) return 0;
  node::record_transport_versions(profile->transport);
  if (!needs_daemons()) return 0;
  for (const NodeTransport::Daemon& daemon : daemons_of(*profile)) start_for_job(*profile, daemon);
  return 0;
}

int stop(Args args) {
  CommandLine line(
      "slipway node transport stop",
      "Stop the daemons of the transport and the machine type when no job needs them.");
  line.about("Slurm's Epilog runs it as root.");
  line.example("SLURM_JOB_ID=7 slipway node transport stop", "as slurmd runs it");
  line.example("slipway node transport start --help", "what happens before the job");
  line.environment("SLURM_JOB_ID", "the job's number");
  if (!line.parse(args)) return 0;
  require_root();
  const auto profile = profile_of_node();
  if (!profile) return 0;
  for (const NodeTransport::Daemon& daemon : daemons_of(*profile)) {
    node::stop_daemon_for(job_of_slurm(), daemon, places_of(*profile, daemon));
  }
  return 0;
}

int prepare(Args args) {
  CommandLine line("slipway node transport prepare",
                   "Pull the daemons' containers and record the versions of the libraries.");
  line.about("`slipway node boot` does it, too.");
  line.example("slipway node transport prepare", "as root");
  line.example("slipway node boot", "the whole boot");
  if (!line.parse(args)) return 0;
  require_root();
  const NodeProfile profile = load_node_profile();
  node::record_transport_versions(profile.transport);
  for (const NodeTransport::Daemon& daemon : daemons_of(profile)) node::pull_images(daemon);
  return 0;
}

}  // namespace

int node_transport(Args args) {
  return run_part(
      {"slipway node transport",
       "Manage the daemons that a transport or a machine type runs beside jobs.",
       "RxDM for GPUDirect-TCPX and -TCPXO, IMEX for GPUs that share memory over NVLink.",
       {{"start", start}, {"stop", stop}, {"prepare", prepare}},
       {{"slipway node transport prepare", "pull the daemon's containers again"},
        {"slipway node transport start --help", "see what happens before a job"}}},
      args);
}

}  // namespace slipway::commands
