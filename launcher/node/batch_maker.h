// Makes the machines of one batch, step by step, while other batches are made beside it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/node/making.h"

namespace slipway::node {

// What the batches of an order share: the cloud's lists are read once for all of them.
class MakerContext {
 public:
  MakerContext(Cloud& cloud, const ClusterFile& cluster, const Patience& patience)
      : cloud_(cloud), cluster_(cluster), patience_(patience) {}

  Compute compute(const Nodes& nodeset) { return {cloud_, nodeset.project, patience_}; }
  const Patience& patience() const { return patience_; }
  void say(const std::string& what) const;

  // The machines of a batch's nodeset. Throws Error unless the list is complete.
  const MachinesByName& machines(const Batch& batch);
  void forget_machines(const Batch& batch) { machines_.erase(batch.prefix); }
  const std::vector<Offer>& offers(const Batch& batch);
  // Makes the batch's placement policy in a region, unless that has been done. Throws Error.
  void need_policy(const Batch& batch, const std::string& region);
  // Deletes the placement policy that a job's batch has got here, unless machines use it.
  void drop_policy(const Batch& batch);
  // Whether machines of the cluster are being deleted in the batch's zones, and still use quota.
  bool frees_quota(const Batch& batch);

 private:
  Cloud& cloud_;
  const ClusterFile& cluster_;
  const Patience& patience_;
  std::map<std::string, MachinesByName> machines_;          // by prefix
  std::map<std::string, std::vector<Offer>> offers_;        // by prefix
  std::set<std::pair<std::string, std::string>> policies_;  // region and name
};

class BatchMaker {
 public:
  BatchMaker(const Batch& batch, MakerContext& context);

  // Asks the cloud how far it is, and does what comes next. Never throws: what goes wrong becomes
  // the reason of the machines that are missing.
  void step();
  // Ends it, after the request that is under way.
  void stop(const std::string& why);

  bool has_ended() const { return has_ended_; }
  const Batch& batch() const { return batch_; }
  // Machines that were made here.
  const std::vector<std::string>& made() const { return made_; }
  // Names without a machine, and why.
  const std::map<std::string, std::string>& failed() const { return failed_; }

 private:
  void try_step();
  bool request_runs();
  void after_request(const std::vector<OperationError>& errors);
  std::vector<std::string> join_machines();
  void start_machine(const std::string& name, const Machine& machine);
  void look_after_starts();
  void ask(const std::vector<std::string>& names);
  void out_of_offers();
  void note(const OperationError& error);
  void note_all(const std::vector<OperationError>& errors);
  void note_refusal(const Refused& error);
  void next_offer(bool may_pass);
  void wait(std::chrono::seconds time) { not_before_ = context_.patience().now() + time; }
  void end(const std::string& otherwise);
  void time_is_up();

  Batch batch_;
  MakerContext& context_;
  std::chrono::steady_clock::time_point end_, not_before_;
  std::vector<std::string> left_;       // names without a machine
  std::vector<std::string> requested_;  // those in the request
  std::optional<MakingRequest> request_;
  std::map<std::string, nlohmann::json> starts_;  // operations of machines that are started
  size_t offer_ = 0;
  int repeats_ = 0;  // of the same offer
  bool is_short_of_quota_ = false;
  bool has_ended_ = false;
  std::string waits_for_;  // the last log line
  std::string stops_because_;
  std::map<std::string, std::vector<std::string>> reasons_;
  std::vector<std::string> made_;
  std::map<std::string, std::string> failed_;
};

}  // namespace slipway::node
