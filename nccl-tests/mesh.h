// TCP connections between all ranks: they meet at rank 0, then connect in pairs as they need to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/strangers.h"
#include "nccl-tests/launch.h"

namespace slipway::bandwidth {

class Mesh {
 public:
  // Meets the other ranks, which have to prove that they are of this run and user; all ranks.
  // Throws Error that names who did not come within the deadline.
  explicit Mesh(const Launch& launch, double deadline_seconds = 60);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }

  // The connection to another rank, made when it is first asked for: both must ask. Non-blocking.
  // Throws Error when the other has gone.
  int socket_to(int peer);

  // The sockets that there are, for transport().
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
  void take(Strangers::Arrival arrival);

  int rank_ = 0;
  std::string purpose_;
  Secret key_ = {};
  std::vector<Peer> peers_;
  std::optional<Strangers> strangers_;  // at our listener
  int own_port_ = 0;
  std::map<int, Fd> sockets_;
};

}  // namespace slipway::bandwidth
