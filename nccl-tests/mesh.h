// TCP connections between all ranks: a tree in which they meet (rendezvous.h), and others when
// needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/pending_clients.h"
#include "nccl-tests/launch.h"
#include "nccl-tests/rank_handshake.h"
#include "nccl-tests/rendezvous.h"

namespace slipway::bandwidth {

struct StartTime {
  double begin = 0, end = 0;  // by now_seconds()
};

class Mesh {
 public:
  // Connects all ranks, which prove that they belong to this run and user; collective. If they do
  // not meet within `deadline_seconds` (0: as `launch` says), throws an Error that names the ranks
  // that are the cause. It is an AgreedError where rank 0 itself is.
  explicit Mesh(const Launch& launch, double deadline_seconds = 0);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(contacts_.size()); }
  std::string name_of(int rank) const;  // "rank 3 on node-1"

  // The non-blocking connection to another rank. The first call makes it, and both ranks must call.
  // Throws Error if the other rank has gone.
  int socket_to(int peer);
  // Makes the connections to all of these ranks at once; each of them must call, too.
  void open(const std::vector<int>& peers);
  bool is_connected_to(int peer) const { return sockets_.contains(peer); }

  // In which time the ranks have to start. Empty once heartbeats notice ranks that are missing.
  std::optional<StartTime> start_time() const { return start_time_; }
  void begin_run() { start_time_.reset(); }

  // All sockets, for transport().
  std::vector<int> sockets() const;

 private:
  void meet_as_first(const Launch& launch, double deadline);
  void meet_as_other(const Launch& launch, double deadline);
  Referral join(const Launch& launch, double deadline);
  std::optional<Referral> try_to_join(const std::string& host, int port, double patience_end,
                                      double deadline);
  void attach(const Contact& parent, double deadline);
  void welcome_joiner(PendingClients::Arrival arrival, Rendezvous& meeting, double deadline);
  void run(Rendezvous& meeting, std::optional<PendingClients>& joiners, double begin,
           double deadline);
  std::optional<RankClaim> take(PendingClients::Arrival arrival);
  std::string address_of(const Contact& contact) const;
  RankClaim own_claim() const;
  void require_descriptors(size_t more) const;

  int rank_ = 0;
  std::string host_, purpose_;
  Secret key_ = {};
  std::vector<Contact> contacts_;          // by rank
  std::string first_address_;              // of rank 0, as this rank reaches it
  std::optional<PendingClients> clients_;  // at our listener
  int own_port_ = 0;
  std::map<int, Fd> sockets_;
  std::optional<StartTime> start_time_;
};

}  // namespace slipway::bandwidth
