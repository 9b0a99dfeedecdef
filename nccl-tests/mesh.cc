// TCP connections between all ranks: a tree in which they meet, and others when needed.
#include "nccl-tests/mesh.h"

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/core.h>

#include "common/error.h"
#include "common/host_name.h"
#include "common/tcp.h"
#include "common/text.h"
#include "nccl-tests/agreed_error.h"
#include "nccl-tests/note_link.h"
#include "nccl-tests/rank_dialer.h"
#include "nccl-tests/rank_handshake.h"
#include "nccl-tests/run_key.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

// Another program may listen on one of the ports and never answer, so each port gets little time
// at first, and more in every round.
constexpr double first_patience_seconds = 0.5, longest_patience_seconds = 5;

// Rank 0 may still be starting. The more ranks there are, the less often each asks, so that rank 0
// gets about as many requests.
constexpr double first_pause_seconds = 0.02, longest_pause_seconds = 1;
constexpr double pause_seconds_per_rank = 0.0005;

// Of descriptors that are not connections: standard streams, files, listeners, libraries.
constexpr size_t other_descriptors = 24;

// The longest that rank 0's last note may take.
constexpr double flush_seconds = 1;

PendingClients::Limits limits_for(int ranks) {
  PendingClients::Limits limits;
  // All ranks may be on one host, and come at once.
  const auto all = static_cast<size_t>(ranks);
  limits.per_address = std::max(limits.per_address, all);
  limits.in_total = std::max(limits.in_total, 2 * all);
  return limits;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.");
}

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

int poll_milliseconds(double seconds) {
  return static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 10.0) * 1e3));
}

}  // namespace

Mesh::Mesh(const Launch& launch, double deadline_seconds)
    : rank_(launch.rank),
      host_(own_host_name()),
      purpose_(fmt::format("slipway ranks {:016x}", launch.token)),
      contacts_(static_cast<size_t>(launch.size)) {
  raise_descriptor_limit();
  if (launch.size == 1) return;
  if (deadline_seconds == 0) deadline_seconds = launch.start_seconds;
  const double deadline = now_seconds() + deadline_seconds;
  Fd listener = listen_on({0});
  if (!listener) throw_errno("cannot listen on any port");
  own_port_ = port_of(listener.get());
  clients_.emplace(std::move(listener), this_rank(), "", limits_for(size()));
  rank_ == 0 ? meet_as_first(launch, deadline) : meet_as_other(launch, deadline);
  start_time_ = {now_seconds(), now_seconds() + launch.start_seconds};
}

std::string Mesh::name_of(int rank) const {
  if (rank == rank_) return fmt::format("rank {} on {}", rank, host_);
  return bandwidth::name_of(contacts_.at(static_cast<size_t>(rank)));
}

RankClaim Mesh::own_claim() const {
  return {rank_, own_port_, size(), host_};
}

void Mesh::meet_as_first(const Launch& launch, double deadline) {
  const double begin = now_seconds();
  const RunKey key(launch.host == "127.0.0.1");
  key_ = key.secret();
  std::string envelope = key.envelope();
  envelope.resize(envelope_bytes, '\0');
  Fd listener = listen_on(launch.ports);
  if (!listener) {
    throw Error(fmt::format("rank 0 cannot listen on any port from {} to {} of {}",
                            launch.ports.front(), launch.ports.back(), host_));
  }
  std::optional<PendingClients> joiners;
  joiners.emplace(std::move(listener), this_rank(), envelope, limits_for(size()));
  first_address_ = "127.0.0.1";
  Rendezvous meeting(size(), {0, "", own_port_, host_});
  meeting.expect(launch.hosts, deadline - begin);
  run(meeting, joiners, begin, deadline);
}

void Mesh::meet_as_other(const Launch& launch, double deadline) {
  const Referral referral = join(launch, deadline);
  const double begin = now_seconds();
  deadline = begin + referral.seconds_left;
  Rendezvous meeting(size(), rank_, referral);
  try {
    attach(referral.parent, deadline);
  } catch (const Error&) {
    meeting.expire(true);
  }
  std::optional<PendingClients> none;
  run(meeting, none, begin, deadline);
}

Referral Mesh::join(const Launch& launch, double deadline) {
  std::string last_error = "no answer";
  const std::vector<std::string> hosts = split(launch.host, ',');
  double patience = first_patience_seconds;
  double pause = first_pause_seconds + pause_seconds_per_rank * rank_;
  for (size_t turn = 0; now_seconds() < deadline; ++turn) {
    try {
      const auto referral =
          try_to_join(hosts[turn / launch.ports.size() % hosts.size()],
                      launch.ports[turn % launch.ports.size()], now_seconds() + patience, deadline);
      if (referral) return *referral;
    } catch (const Error& error) {
      last_error = error.what();
    }
    if ((turn + 1) % launch.ports.size() != 0) continue;  // try all ports once, then pause
    patience = std::min(2 * patience, longest_patience_seconds);
    sleep_seconds(pause);
    pause = std::min(1.5 * pause, longest_pause_seconds);
  }
  // Rank 0, which would print it, is what is missing.
  throw AgreedError(
      fmt::format("rank {} cannot connect to rank 0 on {}: {}", rank_, launch.host, last_error),
      rank_ == 1, [] {});
}

std::optional<Referral> Mesh::try_to_join(const std::string& host, int port, double patience_end,
                                          double deadline) {
  Fd socket = connect_to(host, port, patience_end - now_seconds());
  const auto open = [this](const std::string& envelope) { return key_ = open_envelope(envelope); };
  prove_to_listener(socket.get(), open, envelope_bytes, purpose_, own_claim(), patience_end,
                    fmt::format("the program on {} port {}", host, port));
  first_address_ = peer_address(socket.get());
  return parse_referral(receive_text_within(socket.get(), deadline));
}

std::string Mesh::address_of(const Contact& contact) const {
  return contact.address.empty() ? first_address_ : contact.address;
}

void Mesh::attach(const Contact& parent, double deadline) {
  Fd socket = connect_to_rank(address_of(parent), parent.port, key_, purpose_, own_claim(),
                              deadline, bandwidth::name_of(parent));
  sockets_.emplace(parent.rank, std::move(socket));
}

void Mesh::welcome_joiner(PendingClients::Arrival arrival, Rendezvous& meeting, double deadline) {
  const auto claim = identify_rank(arrival, key_, purpose_);
  if (!claim || claim->rank < 1) return;
  const std::string seen = peer_address(arrival.socket.get());
  const Contact contact{claim->rank, is_loopback(seen) ? "" : seen, claim->port, claim->host};
  if (claim->size != size()) {
    return meeting.fail(fmt::format("{} expects {} ranks in all, rank 0 expects {}",
                                    bandwidth::name_of(contact), claim->size, size()));
  }
  if (claim->rank >= size()) return;
  const Referral referral = meeting.join(contact, std::max(0.0, deadline - now_seconds()));
  // A rank that goes now is missed later.
  try {
    send_text(arrival.socket.get(), to_text(referral));
  } catch (const Error&) {
  }
}

// A rank of this run has connected to this one.
std::optional<RankClaim> Mesh::take(PendingClients::Arrival arrival) {
  const auto claim = identify_rank(arrival, key_, purpose_);
  if (!claim || claim->rank >= size() || claim->rank == rank_) return std::nullopt;
  make_prompt(arrival.socket.get());
  // A rank that connects again has not received the confirmation.
  sockets_.insert_or_assign(claim->rank, std::move(arrival.socket));
  return claim;
}

// Moves the notes of the rendezvous between connections.
class NoteLinks {
 public:
  NoteLinks(Rendezvous& meeting, std::map<int, Fd>& sockets)
      : meeting_(meeting), sockets_(sockets) {}

  void add(int rank) { links_.insert_or_assign(rank, NoteLink(sockets_.at(rank).get())); }

  // Sends what is due; true if there is more.
  bool send() {
    for (const Rendezvous::Letter& letter : meeting_.letters()) {
      const auto link = links_.find(letter.to);
      if (link != links_.end()) link->second.queue(letter.text);
    }
    bool more = false;
    for (auto& [rank, link] : links_) {
      try {
        link.send();
      } catch (const Error&) {  // receive() notices it, after what the rank sent before
      }
      more = more || link.has_to_send();
    }
    return more;
  }

  void add_to(std::vector<pollfd>& entries) const {
    for (const auto& [rank, link] : links_) {
      short events = 0;
      if (meeting_.expects_note_from(rank)) events |= POLLIN;
      if (link.has_to_send()) events |= POLLOUT;
      if (events != 0) entries.push_back({link.socket(), events, 0});
    }
  }

  void receive() {
    std::vector<int> lost;
    for (auto& [rank, link] : links_) {
      if (is_there(rank, link)) continue;
      meeting_.lose(rank);
      lost.push_back(rank);
    }
    for (const int rank : lost) links_.erase(rank);
  }

 private:
  bool is_there(int rank, NoteLink& link) try {
    return link.exchange([&] { return meeting_.expects_note_from(rank); },
                         [&](std::string note) {
                           meeting_.receive(rank,
                                            std::make_shared<const std::string>(std::move(note)));
                         });
  } catch (const Error&) {  // not what a rank sends
    return false;
  }

  Rendezvous& meeting_;
  std::map<int, Fd>& sockets_;
  std::map<int, NoteLink> links_;
};

// Until the ranks have met, or failed to and told each other.
void Mesh::run(Rendezvous& meeting, std::optional<PendingClients>& joiners, double begin,
               double deadline) {
  NoteLinks links(meeting, sockets_);
  for (const auto& [rank, socket] : sockets_) links.add(rank);
  double flush_end = 0;
  for (;;) {
    const bool more = links.send();
    const double now = now_seconds();
    if (meeting.is_over() && flush_end == 0) flush_end = now + flush_seconds;
    if (meeting.is_over() && (!more || now > flush_end)) break;
    const double patience = (deadline - begin) * meeting.patience();
    if (!meeting.is_over() && now - begin > patience) {
      meeting.expire(now - begin > (deadline - begin) * Rendezvous::last_patience);
      if (meeting.is_over()) continue;
    }
    std::vector<pollfd> entries = {{clients_->fd(), POLLIN, 0}};
    if (joiners) entries.push_back({joiners->fd(), POLLIN, 0});
    links.add_to(entries);
    const double due = patience - (now - begin);
    ::poll(entries.data(), entries.size(), poll_milliseconds(due > 0 ? due : 0.05));
    for (PendingClients::Arrival& arrival : clients_->poll()) {
      const auto claim = take(std::move(arrival));
      if (!claim) continue;
      links.add(claim->rank);
      meeting.attach({claim->rank, "", claim->port, claim->host});
    }
    if (joiners) {
      for (PendingClients::Arrival& arrival : joiners->poll())
        welcome_joiner(std::move(arrival), meeting, deadline);
    }
    links.receive();
  }
  if (meeting.failure().empty()) {
    contacts_ = meeting.contacts();
  } else if (rank_ != 0) {
    // Rank 0 has the time to print it before a launcher sees a failed rank and kills the others.
    throw AgreedError(meeting.failure(), meeting.speaks(), [] { sleep_seconds(flush_seconds); });
  } else {
    throw Error(meeting.failure());
  }
}

int Mesh::socket_to(int peer) {
  const auto found = sockets_.find(peer);
  if (found != sockets_.end()) return found->second.get();
  open({peer});
  return sockets_.at(peer).get();
}

void Mesh::require_descriptors(size_t more) const {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const size_t needed = sockets_.size() + more + other_descriptors;
  if (limit.rlim_cur >= needed) return;
  throw Error(fmt::format(
      "rank {} on {} needs {} connections to other ranks, and this process may have {} open files: "
      "raise its hard limit (`ulimit -Hn`)",
      rank_, host_, sockets_.size() + more, limit.rlim_cur));
}

// The lower rank accepts, and the higher one connects.
void Mesh::open(const std::vector<int>& peers) {
  constexpr double open_seconds = 60, share_of_start = 0.3;
  const double patience =
      start_time_ ? share_of_start * (start_time_->end - start_time_->begin) : open_seconds;
  const double deadline = now_seconds() + patience;
  std::vector<int> missing;
  for (const int peer : peers) {
    if (peer != rank_ && !sockets_.contains(peer)) missing.push_back(peer);
  }
  if (missing.empty()) return;
  require_descriptors(missing.size());
  std::map<int, RankDialer> dialers;
  for (const int peer : missing) {
    if (peer > rank_) continue;
    const Contact& other = contacts_.at(static_cast<size_t>(peer));
    dialers.try_emplace(peer, RankDialer::Target{address_of(other), other.port, name_of(peer)},
                        key_, purpose_, own_claim());
  }
  const auto is_there = [this](int peer) { return sockets_.contains(peer); };
  for (;;) {
    std::erase_if(missing, is_there);
    if (missing.empty()) return;
    if (now_seconds() > deadline) {
      throw Error(
          fmt::format("{} did not connect to {}", name_of(missing.front()), name_of(rank_)));
    }
    std::vector<pollfd> entries = {{clients_->fd(), POLLIN, 0}};
    for (const auto& [peer, dialer] : dialers) entries.push_back({dialer.fd(), dialer.events(), 0});
    ::poll(entries.data(), entries.size(), poll_milliseconds(deadline - now_seconds()));
    for (PendingClients::Arrival& arrival : clients_->poll()) take(std::move(arrival));
    size_t at = 0;
    for (auto& [peer, dialer] : dialers) {
      if (entries[++at].revents != 0 && dialer.advance()) sockets_.emplace(peer, dialer.take());
    }
    std::erase_if(dialers, [&](const auto& each) { return is_there(each.first); });
  }
}

std::vector<int> Mesh::sockets() const {
  std::vector<int> all;
  for (const auto& [rank, socket] : sockets_) all.push_back(socket.get());
  return all;
}

}  // namespace slipway::bandwidth
