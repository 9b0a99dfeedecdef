// A group of ranks of a mesh, with its barrier and the exchange of texts and numbers.
#include "nccl-tests/tcp_group.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/agreed_error.h"
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

// The first byte of a note along the tree: what a rank says, or why the ranks cannot start.
constexpr char said = 'S', failed = 'F';

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
    if (const std::optional<StartTime> start = mesh_->start_time()) {
      receive_within(round.from, &token, 1, start->end);
    } else {
      receive_all(round.from, &token, 1, round.from_name);
    }
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

// The root has depth 0.
double TcpGroup::depth_of(int rank) const {
  int depth = 0;
  for (; rank > 0; rank = (rank - 1) / fan_out) ++depth;
  return depth;
}

// What another rank of the tree says. While the ranks start, the neighbors of a rank that does not
// answer give up first: far from rank 0 when the notes go up, near to it when they go down.
std::string TcpGroup::hear(int rank) {
  lost_ = rank;
  std::string note;
  if (const std::optional<StartTime> start = mesh_->start_time()) {
    const double place = depth_of(rank_) / (depth_of(size() - 1) + 1);
    const double share = rank > rank_ ? 0.8 - 0.3 * place : 0.9 + 0.1 * place;
    try {
      note = receive_text_within(socket_to(rank),
                                 start->begin + share * (start->end - start->begin), name_of(rank));
    } catch (const Timeout&) {
      throw Error(fmt::format("{} does not answer", name_of(rank)));
    }
  } else {
    note = receive_text(socket_to(rank), name_of(rank));
  }
  if (note.empty()) throw Error(fmt::format("{} does not speak as a rank does", name_of(rank)));
  lost_ = -1;
  if (note.front() == failed) throw Error(note.substr(1));
  return note.substr(1);
}

void TcpGroup::tell(int rank, const std::string& note) {
  lost_ = rank;
  send_text(socket_to(rank), said + note, name_of(rank));
  lost_ = -1;
}

void TcpGroup::tell_failure(const std::string& why) {
  std::vector<int> neighbors = children_;
  if (rank_ > 0) neighbors.push_back(parent());
  for (const int neighbor : neighbors) {
    if (!is_connected_to(neighbor)) continue;
    try {
      send_text(socket_to(neighbor), failed + why, name_of(neighbor));
    } catch (const Error&) {  // it may be the cause
    }
  }
}

// Passes notes along the tree. During the start, all ranks hear why that fails.
template <class Exchange>
void TcpGroup::along_tree(Exchange exchange) {
  try {
    open_tree();
    exchange();
  } catch (const Error& error) {
    if (!mesh_->start_time()) throw;
    tell_failure(error.what());
    const bool lost_first = rank_ == 1 && (lost_ == 0 || !is_connected_to(0));
    throw AgreedError(error.what(), rank_ == 0 || lost_first, [] {});
  }
}

void TcpGroup::combine(Combine how, std::span<double> values) {
  const auto as_text = [](std::span<const double> some) {
    return std::string(reinterpret_cast<const char*>(some.data()), some.size_bytes());
  };
  const auto hear_values = [&](int rank, std::span<double> into) {
    const std::string text = hear(rank);
    if (text.size() != into.size_bytes())
      throw Error(fmt::format("{} does not speak as a rank does", name_of(rank)));
    std::memcpy(into.data(), text.data(), text.size());
  };
  along_tree([&] {
    std::vector<double> others(values.size());
    for (const int child : children_) {
      hear_values(child, others);
      for (size_t i = 0; i < others.size(); ++i) take_in(how, values[i], others[i]);
    }
    if (rank_ > 0) {
      tell(parent(), as_text(values));
      hear_values(parent(), values);
    }
    for (const int child : children_) tell(child, as_text(values));
  });
}

// Each rank sends the texts of its part of the tree up, and all texts down.
std::vector<std::string> TcpGroup::share(const std::string& text) {
  std::string packed;
  pack(packed, rank_, text);
  along_tree([&] {
    for (const int child : children_) packed += hear(child);
    if (rank_ > 0) {
      tell(parent(), packed);
      packed = hear(parent());
    }
    for (const int child : children_) tell(child, packed);
  });
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
