// Makes machines for the batches of an order, all batches at the same time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "launcher/node/making.h"
#include "launcher/node/power.h"
#include "launcher/node/resume_order.h"

namespace slipway::node {

// What is between an order and its end. Machines that exist, or that are being made, are
// joined: they are neither asked for again nor failed.
class Maker {
 public:
  Maker(Cloud& cloud, const ClusterFile& cluster, const Patience& patience);
  ~Maker();
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;

  // Returns when every batch has its machines or cannot get them. The nodes of a job get all of
  // their machines or none: what was made for a job that cannot run is deleted.
  std::vector<Failed> make(const std::vector<Batch>& batches, const std::vector<WaitingJob>& jobs);

  // Where the machines of these nodes are, by the last list of them.
  std::map<std::string, std::string> physical_hosts(const std::vector<std::string>& nodes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slipway::node
