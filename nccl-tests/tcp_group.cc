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

std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) packed += fmt::format("{}\n{}", text.size(), text);
  return packed;
}

std::vector<std::string> unpack(const std::string& packed, size_t count) {
  std::vector<std::string> texts;
  for (size_t at = 0; texts.size() < count;) {
    const size_t end = packed.find('\n', at);
    const auto bytes = to_number<size_t>(std::string_view(packed).substr(at, end - at));
    if (end == std::string::npos || !bytes || *bytes > packed.size() - end - 1)
      throw Error("rank 0 sent invalid texts");
    texts.push_back(packed.substr(end + 1, *bytes));
    at = end + 1 + *bytes;
  }
  return texts;
}

}  // namespace

TcpGroup::TcpGroup(std::shared_ptr<Mesh> mesh) : TcpGroup(mesh, everybody(*mesh)) {}

TcpGroup::TcpGroup(std::shared_ptr<Mesh> mesh, std::vector<int> members)
    : mesh_(std::move(mesh)), members_(std::move(members)) {
  const auto own = std::ranges::find(members_, mesh_->rank());
  rank_ = static_cast<int>(own - members_.begin());
}

std::string TcpGroup::name_of(int rank) const {
  return fmt::format("rank {}", members_.at(static_cast<size_t>(rank)));
}

// A dissemination barrier (Hensgen, Finkel, Manber, 1988): after round k, each rank knows of 2^k
// others.
void TcpGroup::barrier() {
  for (int distance = 1; distance < size(); distance *= 2) {
    const int to = (rank_ + distance) % size(), from = (rank_ - distance + size()) % size();
    char token = 'b';
    // The lower rank accepts connections, so both sockets can be opened in any order.
    const int out = socket_to(to), in = socket_to(from);
    send_all(out, &token, 1, name_of(to));
    receive_all(in, &token, 1, name_of(from));
  }
}

void TcpGroup::combine(Combine how, std::span<double> values) {
  const size_t bytes = values.size_bytes();
  if (rank_ != 0) {
    const int first = socket_to(0);
    send_all(first, values.data(), bytes, name_of(0));
    receive_all(first, values.data(), bytes, name_of(0));
    return;
  }
  std::vector<double> others(values.size());
  for (int rank = 1; rank < size(); ++rank) {
    receive_all(socket_to(rank), others.data(), bytes, name_of(rank));
    for (size_t i = 0; i < others.size(); ++i) take_in(how, values[i], others[i]);
  }
  for (int rank = 1; rank < size(); ++rank) {
    send_all(socket_to(rank), values.data(), bytes, name_of(rank));
  }
}

// Rank 0 sends each rank one message with all texts, each preceded by its length.
std::vector<std::string> TcpGroup::share(const std::string& text) {
  if (rank_ != 0) {
    send_text(socket_to(0), text, name_of(0));
    return unpack(receive_text(socket_to(0), name_of(0)), members_.size());
  }
  std::vector<std::string> texts = {text};
  for (int rank = 1; rank < size(); ++rank)
    texts.push_back(receive_text(socket_to(rank), name_of(rank)));
  const std::string packed = pack(texts);
  for (int rank = 1; rank < size(); ++rank) send_text(socket_to(rank), packed, name_of(rank));
  return texts;
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
