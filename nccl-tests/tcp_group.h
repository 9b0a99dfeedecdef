// A group of ranks of a mesh, with its barrier and the exchange of texts and numbers. Whatever the
// number of ranks, each has a few connections for these, and sends and receives a text of every
// rank a constant number of times.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nccl-tests/backend.h"
#include "nccl-tests/mesh.h"

namespace slipway::bandwidth {

class TcpGroup {
 public:
  // All ranks of the mesh.
  explicit TcpGroup(std::shared_ptr<Mesh> mesh);
  // `members` are ranks of the mesh, in order, and include this one.
  TcpGroup(std::shared_ptr<Mesh> mesh, std::vector<int> members);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.size()); }
  int socket_to(int rank) { return mesh_->socket_to(members_.at(static_cast<size_t>(rank))); }
  // Makes the connections to these ranks at once; collective for each pair.
  void open(const std::vector<int>& ranks);
  std::string name_of(int rank) const;
  const Mesh& mesh() const { return *mesh_; }
  // From now on, heartbeats notice a rank that is missing.
  void begin_run() { mesh_->begin_run(); }

  // As in Backend; collective in the group. While the ranks start, nobody else notices that one is
  // missing: these then wait until the start has to be over, and name the rank that is the cause on
  // rank 0, or on rank 1 if that is rank 0.
  void barrier();
  void combine(Combine how, std::span<double> values);
  std::vector<std::string> share(const std::string& text);
  TcpGroup split(int group);
  const std::vector<int>& members() const { return members_; }

 private:
  struct Round {
    int to = -1, from = -1;  // sockets
    std::string to_name, from_name;
  };

  void prepare_barrier();
  int parent() const;
  void open_tree();
  double depth_of(int rank) const;
  bool is_connected_to(int rank) const {
    return mesh_->is_connected_to(members_.at(static_cast<size_t>(rank)));
  }
  std::string hear(int rank);
  void tell(int rank, const std::string& note);
  void tell_failure(const std::string& why);
  template <class Exchange>
  void along_tree(Exchange exchange);

  std::shared_ptr<Mesh> mesh_;
  std::vector<int> members_;
  int rank_ = 0;
  // Texts and numbers go up and down a tree, so that no rank has to serve all others.
  std::vector<int> children_;
  int lost_ = -1;              // the rank of the tree to which an exchange failed
  std::vector<Round> rounds_;  // of the barrier; empty before the first
};

}  // namespace slipway::bandwidth
