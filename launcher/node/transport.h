// The transport's software on a node: the daemon that runs beside jobs, and what is installed.
// docs/guides/nccl.md shows when each function is called.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/node_transport.h"
#include "common/transport_stock.h"

namespace slipway::node {

// Where things are; tests use their own.
struct TransportPlaces {
  std::filesystem::path state = "/run/slipway/daemon";
  std::filesystem::path logs = "/var/log/slurm";
  std::filesystem::path stock = transport_stock_path;
  std::filesystem::path versions =
      "/etc/slipway/transport-versions";  // "plugin=1.0.17", "daemon=…"

  // How long a prolog or epilog may take besides the daemon's own start: for other jobs that came
  // first, and for the daemon to end. Slurm waits longer (PrologEpilogTimeout,
  // launcher/cluster/slurm_conf.cc), and drains the node if that is not enough.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
};

// Where containers come from; tests use their own.
struct ContainerPlaces {
  std::string docker = "/usr/bin/docker";
  std::filesystem::path archives = "/var/lib/slipway/containers";
};

// The archive of an image, "REGISTRY/FOLDER/NAME:TAG", in that folder: NAME.tar.gz.
std::filesystem::path archive_of(const std::string& image, const ContainerPlaces& places);

// Starts the daemon for a job and waits until it serves. A daemon that already serves is shared,
// unless it serves other nodes: then the job goes without, and a line on stderr says so. `nodes`
// are the addresses of the job's nodes, for a daemon with a nodes_file. Throws Error if the daemon
// does not serve within its deadline, or ends; it is then stopped. Also throws Error if other jobs
// keep starting or stopping it for too long.
void start_daemon_for(const std::string& job, const NodeTransport::Daemon& daemon,
                      const TransportPlaces& places = {},
                      const std::vector<std::string>& nodes = {});

// The IPv4 addresses of nodes, in their order. Throws Error for a name that has none.
std::vector<std::string> addresses_of_nodes(const std::vector<std::string>& nodes);

// The job no longer needs the daemon, which ends with its last job. Does nothing if no daemon runs.
void stop_daemon_for(const std::string& job, const NodeTransport::Daemon& daemon,
                     const TransportPlaces& places = {});

// Records which versions are installed and a digest of the libraries; returns at once if nothing
// has changed since the last time. Writes nothing for a transport without libraries.
void record_transport_versions(const NodeTransport& transport, const TransportPlaces& places = {});

// Has Docker get the daemon's container images in advance, so that no job waits for them: from the
// archives that the machine's image has, NAME.tar.gz, or else from the registry. Docker's own store
// may be on a disk that is empty after each boot. Throws Error.
void pull_images(const NodeTransport::Daemon& daemon, const ContainerPlaces& places = {});

// Whether a Slurm host list, "n-[0-3],m-7", names more than one node.
bool names_several(const std::string& nodes);

}  // namespace slipway::node
