// A group of ranks of a mesh, with its barrier and the exchange of texts and numbers.
#include "nccl-tests/tcp_group.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

std::vector<int> everybody(const Mesh& mesh) {
  std::vector<int> all(static_cast<size_t>(mesh.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void take_in(Combine how, double& into, double other) {
  switch (how) {
    case Combine::sum:
      into += other;
      break;
    case Combine::min:
      into = std::min(into, other);
      break;
    case Combine::max:
      into = std::max(into, other);
      break;
  }
}

constexpr int fan_out = 8;  // of the tree

// The texts of some ranks: "3 5\nhello4 0\n".
void pack(std::string& packed, int rank, std::string_view text) {
  packed += fmt::format("{} {}\n{}", rank, text.size(), text);
}

std::vector<std::string> unpack(std::string_view packed, size_t count) {
  std::vector<std::string> texts(count);
  while (!packed.empty()) {
    const size_t end = packed.find('\n'), space = packed.find(' ');
    const bool complete = end != std::string_view::npos && space < end;
    const auto rank = complete ? to_number<size_t>(packed.substr(0, space)) : std::nullopt;
    const auto bytes =
        complete ? to_number<size_t>(packed.substr(space + 1, end - space - 1)) : std::nullopt;
    if (!rank || !bytes || *rank >= count || *bytes > packed.size() - end - 1)
      throw Error("another rank sent invalid texts");
    texts[*rank] = packed.substr(end + 1, *bytes);
    packed.remove_prefix(end + 1 + *bytes);
  }
  return texts;
}

}  // namespace

TcpGroup::TcpGroup(std::shared_ptr<Mesh> mesh) : TcpGroup(mesh, everybody(*mesh)) {}

TcpGroup::TcpGroup(std::shared_ptr<Mesh> mesh, std::vector<int> members)
    : mesh_(std::move(mesh)), members_(std::move(members)) {
  const auto own = std::ranges::find(members_, mesh_->rank());
  rank_ = static_cast<int>(own - members_.begin());
  for (int child = rank_ * fan_out + 1; child <= rank_ * fan_out + fan_out && child < size();
       ++child)
    children_.push_back(child);
}

int TcpGroup::parent() const {
  return (rank_ - 1) / fan_out;
}

void TcpGroup::open(const std::vector<int>& ranks) {
  std::vector<int> peers;
  for (const int rank : ranks) peers.push_back(members_.at(static_cast<size_t>(rank)));
  mesh_->open(peers);
}

std::string TcpGroup::name_of(int rank) const {
  return mesh_->name_of(members_.at(static_cast<size_t>(rank)));
}

// A dissemination barrier (Hensgen, Finkel, Manber, 1988): after round k, each rank knows of 2^k
// others.
void TcpGroup::barrier() {
  if (rounds_.empty() && size() > 1) prepare_barrier();
  for (const Round& round : rounds_) {
    char token = 'b';
    send_all(round.to, &token, 1, round.to_name);
    receive_all(round.from, &token, 1, round.from_name);
  }
}

void TcpGroup::prepare_barrier() {
  std::vector<int> peers;
  for (int distance = 1; distance < size(); distance *= 2) {
    peers.push_back((rank_ + distance) % size());
    peers.push_back((rank_ - distance + size()) % size());
  }
  open(peers);
  for (size_t i = 0; i < peers.size(); i += 2) {
    rounds_.push_back(
        {socket_to(peers[i]), socket_to(peers[i + 1]), name_of(peers[i]), name_of(peers[i + 1])});
  }
}

void TcpGroup::open_tree() {
  std::vector<int> neighbors = children_;
  if (rank_ > 0) neighbors.push_back(parent());
  open(neighbors);
}

void TcpGroup::combine(Combine how, std::span<double> values) {
  const size_t bytes = values.size_bytes();
  open_tree();
  std::vector<double> others(values.size());
  for (const int child : children_) {
    receive_all(socket_to(child), others.data(), bytes, name_of(child));
    for (size_t i = 0; i < others.size(); ++i) take_in(how, values[i], others[i]);
  }
  if (rank_ > 0) {
    send_all(socket_to(parent()), values.data(), bytes, name_of(parent()));
    receive_all(socket_to(parent()), values.data(), bytes, name_of(parent()));
  }
  for (const int child : children_)
    send_all(socket_to(child), values.data(), bytes, name_of(child));
}

// Each rank sends the texts of its part of the tree up, and all texts down.
std::vector<std::string> TcpGroup::share(const std::string& text) {
  open_tree();
  std::string packed;
  pack(packed, rank_, text);
  for (const int child : children_) packed += receive_text(socket_to(child), name_of(child));
  if (rank_ > 0) {
    send_text(socket_to(parent()), packed, name_of(parent()));
    packed = receive_text(socket_to(parent()), name_of(parent()));
  }
  for (const int child : children_) send_text(socket_to(child), packed, name_of(child));
  return unpack(packed, members_.size());
}

TcpGroup TcpGroup::split(int group) {
  const std::vector<std::string> groups = share(std::to_string(group));
  std::vector<int> members;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] == std::to_string(group)) members.push_back(members_[i]);
  }
  return TcpGroup(mesh_, members);
}

}  // namespace slipway::bandwidth
