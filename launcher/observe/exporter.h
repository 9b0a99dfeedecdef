// Serves metrics: each part of them is read at its own interval in a child process, and a request
// gets the last reading. So nobody who asks can make slurmctld or a driver work.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/node_profile.h"
#include "launcher/observe/child_text.h"
#include "launcher/observe/http_server.h"

namespace slipway::observe {

struct Part {
  std::string name;                   // "node", "slurm"
  std::function<std::string()> make;  // its metrics, in the text format
  std::chrono::milliseconds interval{10'000};
  std::chrono::milliseconds limit{20'000};  // for one reading
};

class Exporter {
 public:
  // Reads each part once. `port`: of the other nodes' metrics, for /targets.
  Exporter(std::vector<Part> parts, int port);

  // /metrics: all parts, in OpenMetrics for those who accept it. /targets: for Prometheus' http_sd,
  // of a part `slurm`.
  HttpAnswer answer(const HttpRequest& request) const;

  // Serves until a signal ends it. Throws Error.
  void serve(Fd listener);

 private:
  struct Reading {
    Part part;
    std::string text;
    std::chrono::steady_clock::time_point due;
    std::unique_ptr<ChildText> child;
  };

  void read_parts();
  std::string text() const;

  std::vector<Reading> readings_;
  int port_;
};

// The IPv4 address of this node on the cluster's network: that of its first interface. Throws
// Error if the interface has none.
std::string cluster_address(const NodeProfile& profile);

}  // namespace slipway::observe
