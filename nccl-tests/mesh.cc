// TCP connections between all ranks: they meet at rank 0, then connect in pairs as they need to.
#include "nccl-tests/mesh.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

// What who connects says first, and the answer is the token again.
struct Hello {
  uint64_t token = 0;
  int32_t rank = 0;
  int32_t port = 0;  // where the sender accepts connections of other ranks
};

constexpr double hello_seconds = 5;

std::string host_name() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return host;
}

}  // namespace

Mesh::Mesh(const Launch& launch, double deadline_seconds)
    : rank_(launch.rank), token_(launch.token), peers_(static_cast<size_t>(launch.size)) {
  if (launch.size == 1) return;
  const double deadline = now_seconds() + deadline_seconds;
  rank_ == 0 ? meet_as_first(launch, deadline) : meet_at_first(launch, deadline);
}

void Mesh::meet_as_first(const Launch& launch, double deadline) {
  listener_ = listen_on(launch.ports);
  if (!listener_) {
    throw Error(fmt::format("rank 0 can listen on none of the ports {} to {} of {}",
                            launch.ports.front(), launch.ports.back(), host_name()));
  }
  while (static_cast<int>(sockets_.size()) < size() - 1) {
    try {
      accept_one(deadline);
    } catch (const Timeout&) {
      std::vector<std::string> missing;
      for (int rank = 1; rank < size(); ++rank) {
        if (!sockets_.contains(rank)) missing.push_back(std::to_string(rank));
      }
      throw Error(fmt::format("{} of {} ranks did not come to rank 0 on {}: {}", missing.size(),
                              size(), host_name(), join(missing, ", ")));
    }
  }
  std::string table;
  for (const Peer& peer : peers_) table += fmt::format("{} {}\n", peer.address, peer.port);
  for (const auto& [rank, socket] : sockets_) send_text(socket.get(), table);
}

void Mesh::meet_at_first(const Launch& launch, double deadline) {
  listener_ = listen_on({0});
  own_port_ = port_of(listener_.get());
  const Hello hello{token_, rank_, own_port_};
  Fd first;
  std::string last_error = "nobody answered";
  for (size_t turn = 0; !first; ++turn) {
    if (now_seconds() > deadline) {
      throw Error(
          fmt::format("rank {} cannot meet rank 0 on {}: {}", rank_, launch.host, last_error));
    }
    const int port = launch.ports[turn % launch.ports.size()];
    try {
      Fd socket = connect_to(launch.host, port, hello_seconds);
      send_all(socket.get(), &hello, sizeof hello, "rank 0");
      uint64_t answer = 0;
      receive_within(socket.get(), &answer, sizeof answer, now_seconds() + hello_seconds);
      if (answer == token_) first = std::move(socket);
    } catch (const Error& error) {
      last_error = error.what();
    }
    // Rank 0 may still be starting: once around all ports, then a pause.
    const bool round_is_over = (turn + 1) % launch.ports.size() == 0;
    if (!first && round_is_over) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string first_address = peer_address(first.get());
  size_t rank = 0;
  for (const std::string& line : split(receive_text(first.get(), "rank 0"), '\n')) {
    const size_t space = line.find(' ');
    if (space == std::string::npos || rank >= peers_.size()) continue;
    peers_[rank] = {line.substr(0, space), std::atoi(line.c_str() + space)};
    ++rank;
  }
  peers_[0].address = first_address;  // rank 0 cannot know by which of its addresses it is seen
  sockets_.emplace(0, std::move(first));
}

// Takes one connection of a rank of this run; others are sent away.
void Mesh::accept_one(double deadline) {
  Fd socket = accept_within(listener_.get(), deadline);
  Hello hello;
  try {
    receive_within(socket.get(), &hello, sizeof hello, now_seconds() + hello_seconds);
  } catch (const Error&) {
    return;  // somebody else, who looked what is here
  }
  const bool known = hello.token == token_ && hello.rank > 0 && hello.rank < size() &&
                     !sockets_.contains(hello.rank);
  const uint64_t answer = known ? token_ : ~token_;
  send_all(socket.get(), &answer, sizeof answer, fmt::format("rank {}", hello.rank));
  if (!known) return;
  peers_[static_cast<size_t>(hello.rank)] = {peer_address(socket.get()), hello.port};
  sockets_.emplace(hello.rank, std::move(socket));
}

int Mesh::socket_to(int peer) {
  constexpr double patience_seconds = 60;
  const auto found = sockets_.find(peer);
  if (found != sockets_.end()) return found->second.get();
  const double deadline = now_seconds() + patience_seconds;
  if (peer > rank_) {  // the lower rank accepts
    while (!sockets_.contains(peer)) {
      try {
        accept_one(deadline);
      } catch (const Timeout&) {
        throw Error(fmt::format("rank {} waited in vain for a connection of rank {}", rank_, peer));
      }
    }
    return sockets_.at(peer).get();
  }
  const Peer& other = peers_.at(static_cast<size_t>(peer));
  const std::string whom = fmt::format("rank {}", peer);
  Fd socket = connect_to(other.address, other.port, patience_seconds);
  const Hello hello{token_, rank_, own_port_};
  send_all(socket.get(), &hello, sizeof hello, whom);
  uint64_t answer = 0;
  receive_within(socket.get(), &answer, sizeof answer, deadline);
  if (answer != token_) throw Error(fmt::format("{} is not of this run", whom));
  return sockets_.emplace(peer, std::move(socket)).first->second.get();
}

std::vector<int> Mesh::sockets() const {
  std::vector<int> all;
  for (const auto& [rank, socket] : sockets_) all.push_back(socket.get());
  return all;
}

}  // namespace slipway::bandwidth
