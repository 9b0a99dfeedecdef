// TCP connections between all ranks: each connects to rank 0 first, and to others when needed.
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

namespace slipway::bandwidth {

class Mesh {
 public:
  // Connects all ranks, which prove that they belong to this run and user; collective. Throws an
  // Error that names the ranks that did not connect before the deadline.
  explicit Mesh(const Launch& launch, double deadline_seconds = 60);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }

  // The non-blocking connection to another rank. The first call makes it, and both ranks must call.
  // Throws Error if the other rank has gone.
  int socket_to(int peer);

  // All sockets, for transport().
  std::vector<int> sockets() const;

 private:
  struct Peer {
    std::string address;  // dotted IPv4
    int port = 0;
  };

  void meet_as_first(const Launch& launch, double deadline);
  void meet_at_first(const Launch& launch, double deadline);
  void try_first(const std::string& host, int port, double deadline);
  void accept_until(int rank, double deadline);
  void take(PendingClients::Arrival arrival);

  int rank_ = 0;
  std::string purpose_;
  Secret key_ = {};
  std::vector<Peer> peers_;
  std::optional<PendingClients> clients_;  // at our listener
  int own_port_ = 0;
  std::map<int, Fd> sockets_;
};

}  // namespace slipway::bandwidth
