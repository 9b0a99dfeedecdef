// What the PMIx servers of an attempt's nodes have to tell one another, by way of the launcher.
//
// A fence is one collective of one kind, whatever it carries: every node with a rank in it says
// that its ranks are there, with what they have to tell, and each is told what all have said when
// the last one has come.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/protocol.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

// Of PMIx, as its standard numbers them.
inline constexpr int pmix_ok = 0, pmix_error = -1, pmix_not_supported = -47;

struct PmixDelivery {
  std::string node;
  PmixToNode body;
};

class PmixExchange {
 public:
  explicit PmixExchange(const World& world) : world_(world) {}

  // What a node's server has said; returns what is to be sent after it.
  std::vector<PmixDelivery> hear(const std::string& node, const PmixFromNode& body);
  // What is to be told to the user, once.
  std::string news();

 private:
  using Ranks = std::vector<int64_t>;  // rising; empty: all

  std::vector<PmixDelivery> fence(size_t node, const PmixFence& fence);
  std::vector<PmixDelivery> fail_fences();
  std::vector<PmixDelivery> want(size_t node, const PmixWant& want) const;
  std::vector<PmixDelivery> have(const PmixHave& have) const;
  std::set<size_t> nodes_of(const Ranks& ranks) const;

  World world_;
  std::map<Ranks, std::map<size_t, std::string>> fences_;  // that some node has come to
  std::map<std::string, std::string> without_;             // nodes that have no PMIx, and why
  bool failed_ = false, told_ = false;
};

}  // namespace slipway::job
