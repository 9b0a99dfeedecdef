// Passes messages between the PMIx servers of an attempt's nodes, through the launcher.
//
// A fence is a collective, whatever it carries: each participating node contributes its ranks'
// data, and when the last node has arrived, all receive the data of all.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/protocol.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

// PMIx status codes, from its standard.
inline constexpr int pmix_ok = 0, pmix_error = -1, pmix_not_supported = -47;

struct PmixDelivery {
  std::string node;
  PmixToNode body;
};

class PmixExchange {
 public:
  explicit PmixExchange(const World& world) : world_(world) {}

  // Handles a message from a node's server; returns the messages to send in turn.
  std::vector<PmixDelivery> handle(const std::string& node, const PmixFromNode& body);
  // A message for the user, returned once; else empty.
  std::string news();

 private:
  using Ranks = std::vector<int64_t>;  // rising; empty: all

  std::vector<PmixDelivery> fence(size_t node, const PmixFence& fence);
  std::vector<PmixDelivery> fail_fences();
  std::vector<PmixDelivery> want(size_t node, const PmixWant& want) const;
  std::vector<PmixDelivery> have(const PmixHave& have) const;
  std::set<size_t> nodes_of(const Ranks& ranks) const;

  World world_;
  std::map<Ranks, std::map<size_t, std::string>> fences_;  // that some node has reached
  std::map<std::string, std::string> without_;             // nodes without PMIx, and why
  bool failed_ = false, reported_ = false;
};

}  // namespace slipway::job
