// TCP connections between all ranks: they meet at rank 0, then connect in pairs as they need to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/fd.h"
#include "nccl-tests/launch.h"

namespace slipway::bandwidth {

class Mesh {
 public:
  // Meets the other ranks; all ranks. Throws Error that names who did not come within the deadline.
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
  void accept_one(double deadline);

  int rank_ = 0;
  uint64_t token_ = 0;
  std::vector<Peer> peers_;
  Fd listener_;
  int own_port_ = 0;
  std::map<int, Fd> sockets_;
};

}  // namespace slipway::bandwidth
