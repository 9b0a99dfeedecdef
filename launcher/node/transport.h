// The transport's own software on a node: its daemon beside a job, and what is installed of it.
// docs/nccl_env.md says when who calls this.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/node_transport.h"
#include "common/transport_stock.h"

namespace slipway::node {

// Where things are; tests have their own.
struct TransportPlaces {
  std::filesystem::path state = "/run/slipway/daemon";
  std::filesystem::path logs = "/var/log/slurm";
  std::filesystem::path stock = transport_stock_path;
  std::filesystem::path versions =
      "/etc/slipway/transport-versions";  // "plugin=1.0.17", "daemon=…"

  // What a prolog or an epilog may take besides the time that the daemon has to serve: the work of
  // other jobs that came first, and the end of a daemon. Slurm waits longer (PrologEpilogTimeout,
  // launcher/cluster/slurm_conf.cc); when it does not, it drains the node.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
};

// Starts the daemon for a job and waits until it serves. A daemon that serves already serves this
// job, too. Throws Error when it does not serve within its deadline, or ends; then none is left
// running. Also throws Error when other jobs keep starting or stopping it for too long.
void start_daemon_for(const std::string& job, const NodeTransport::Daemon& daemon,
                      const TransportPlaces& places = {});

// The job no longer needs it. The daemon ends with the last job. Does nothing when no daemon runs.
void stop_daemon_for(const std::string& job, const NodeTransport::Daemon& daemon,
                     const TransportPlaces& places = {});

// Takes down which versions are installed, and a digest of the libraries; at once when nothing has
// changed since the last time. Nothing is written for a transport without libraries.
void take_stock(const NodeTransport& transport, const TransportPlaces& places = {});

// Has the containers of the daemon here, so that no job waits for them. Throws Error.
void pull_images(const NodeTransport::Daemon& daemon);

// Whether a list of Slurm's, "n-[0-3],m-7", names more than one node.
bool names_several(const std::string& nodes);

}  // namespace slipway::node
