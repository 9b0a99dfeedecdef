// TCP connections between all ranks: each connects to rank 0 first, and to others when needed.
#include "nccl-tests/mesh.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/core.h>

#include "common/error.h"
#include "common/tcp.h"
#include "common/text.h"
#include "nccl-tests/rank_handshake.h"
#include "nccl-tests/run_key.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

// Another program may listen on one of the ports and never answer, so each port gets little time
// at first, and more in every round.
constexpr double first_patience_seconds = 0.3, longest_patience_seconds = 5;

std::string host_name() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return host;
}

}  // namespace

Mesh::Mesh(const Launch& launch, double deadline_seconds)
    : rank_(launch.rank),
      purpose_(fmt::format("slipway ranks {:016x}", launch.token)),
      peers_(static_cast<size_t>(launch.size)) {
  raise_descriptor_limit();  // rank 0 has a connection of every rank
  if (launch.size == 1) return;
  const double deadline = now_seconds() + deadline_seconds;
  rank_ == 0 ? meet_as_first(launch, deadline) : meet_at_first(launch, deadline);
}

void Mesh::meet_as_first(const Launch& launch, double deadline) {
  const RunKey key(launch.host == "127.0.0.1");
  key_ = key.secret();
  std::string envelope = key.envelope();
  envelope.resize(envelope_bytes, '\0');
  Fd listener = listen_on(launch.ports);
  if (!listener) {
    throw Error(fmt::format("rank 0 cannot listen on any port from {} to {} of {}",
                            launch.ports.front(), launch.ports.back(), host_name()));
  }
  clients_.emplace(std::move(listener), this_rank(), envelope);
  try {
    for (int rank = 1; rank < size(); ++rank) accept_until(rank, deadline);
  } catch (const Timeout&) {
    std::vector<std::string> missing;
    for (int rank = 1; rank < size(); ++rank) {
      if (!sockets_.contains(rank)) missing.push_back(std::to_string(rank));
    }
    throw Error(fmt::format("{} of {} ranks did not connect to rank 0 on {}: {}", missing.size(),
                            size(), host_name(), join(missing, ", ")));
  }
  clients_.reset();  // the other ranks connect to each other
  std::string table;
  for (const Peer& peer : peers_) table += fmt::format("{} {}\n", peer.address, peer.port);
  for (const auto& [rank, socket] : sockets_) send_text(socket.get(), table);
}

void Mesh::meet_at_first(const Launch& launch, double deadline) {
  Fd listener = listen_on({0});
  own_port_ = port_of(listener.get());
  clients_.emplace(std::move(listener), this_rank());
  std::string last_error = "no answer";
  const std::vector<std::string> hosts = split(launch.host, ',');
  double patience = first_patience_seconds;
  for (size_t turn = 0; !sockets_.contains(0); ++turn) {
    if (now_seconds() > deadline) {
      throw Error(fmt::format("rank {} cannot connect to rank 0 on {}: {}", rank_, launch.host,
                              last_error));
    }
    try {
      try_first(hosts[turn / launch.ports.size() % hosts.size()],
                launch.ports[turn % launch.ports.size()], now_seconds() + patience);
    } catch (const Error& error) {
      last_error = error.what();
    }
    // Rank 0 may still be starting: try all ports once, then pause.
    const bool round_is_over = (turn + 1) % launch.ports.size() == 0;
    if (!round_is_over || sockets_.contains(0)) continue;
    patience = std::min(2 * patience, longest_patience_seconds);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string first_address = peer_address(sockets_.at(0).get());
  size_t rank = 0;
  for (const std::string& line : split(receive_text(sockets_.at(0).get(), "rank 0"), '\n')) {
    const size_t space = line.find(' ');
    if (space == std::string::npos || rank >= peers_.size()) continue;
    peers_[rank] = {line.substr(0, space), std::atoi(line.c_str() + space)};
    ++rank;
  }
  peers_[0].address = first_address;  // rank 0 cannot know which of its addresses is reachable
}

void Mesh::try_first(const std::string& host, int port, double deadline) {
  Fd socket = connect_to(host, port, deadline - now_seconds());
  const auto open = [this](const std::string& envelope) { return key_ = open_envelope(envelope); };
  prove_to_listener(socket.get(), open, envelope_bytes, purpose_, {rank_, own_port_}, deadline,
                    fmt::format("the program on {} port {}", host, port));
  sockets_.emplace(0, std::move(socket));
}

// Throws Timeout.
void Mesh::accept_until(int rank, double deadline) {
  while (!sockets_.contains(rank)) {
    for (PendingClients::Arrival& arrival : clients_->poll()) take(std::move(arrival));
    if (!sockets_.contains(rank)) wait_to_read(clients_->fd(), deadline);
  }
}

void Mesh::take(PendingClients::Arrival arrival) {
  const auto claim = identify_rank(arrival, key_, purpose_);
  if (!claim || claim->rank >= size() || claim->rank == rank_) return;
  make_prompt(arrival.socket.get());
  if (rank_ != 0) {  // rank 0 has told it where the others listen
    sockets_.try_emplace(claim->rank, std::move(arrival.socket));
    return;
  }
  // A rank that connects again has not received the confirmation.
  peers_[static_cast<size_t>(claim->rank)] = {peer_address(arrival.socket.get()), claim->port};
  sockets_.insert_or_assign(claim->rank, std::move(arrival.socket));
}

int Mesh::socket_to(int peer) {
  constexpr double patience_seconds = 60;
  const auto found = sockets_.find(peer);
  if (found != sockets_.end()) return found->second.get();
  const double deadline = now_seconds() + patience_seconds;
  if (peer > rank_) {  // the lower rank accepts
    try {
      accept_until(peer, deadline);
    } catch (const Timeout&) {
      throw Error(fmt::format("rank {} did not connect to rank {}", peer, rank_));
    }
    return sockets_.at(peer).get();
  }
  const Peer& other = peers_.at(static_cast<size_t>(peer));
  Fd socket = connect_to_rank(other.address, other.port, key_, purpose_, {rank_, own_port_},
                              deadline, fmt::format("rank {}", peer));
  return sockets_.emplace(peer, std::move(socket)).first->second.get();
}

std::vector<int> Mesh::sockets() const {
  std::vector<int> all;
  for (const auto& [rank, socket] : sockets_) all.push_back(socket.get());
  return all;
}

}  // namespace slipway::bandwidth
