// The handshake between two ranks.
#include "nccl-tests/rank_handshake.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

// A program that sent a greeting is probably a rank, which may have many others to answer.
constexpr double confirmation_seconds = 2;
constexpr double between_tries_seconds = 0.02;

}  // namespace

Speaker this_rank() {
  return {rank_protocol, SLIPWAY_VERSION};
}

std::string claim_text(const RankClaim& claim) {
  return fmt::format("{} {} {} {}", claim.rank, claim.port, claim.size, claim.host);
}

void require_same_protocol(const Speaker& other, const std::string& peer_name) {
  if (other.protocol == rank_protocol) return;
  const Speaker own = this_rank();
  throw Error(fmt::format(
      "{} is version {} (protocol {}), this rank is {} (protocol {}): install the same version on "
      "all nodes",
      peer_name, other.version, other.protocol, own.version, own.protocol));
}

void prove_to_listener(int socket, const std::function<Secret(const std::string& envelope)>& key,
                       size_t envelope_bytes, std::string_view purpose, const RankClaim& own,
                       double deadline, const std::string& peer_name) {
  std::string greeting(greeting_bytes, '\0'), envelope(envelope_bytes, '\0');
  receive_within(socket, greeting.data(), greeting.size(), deadline);
  const auto listener = speaker_of(greeting);
  if (!listener) throw Error(fmt::format("{} is not a rank", peer_name));
  receive_within(socket, envelope.data(), envelope.size(), deadline);
  const Secret secret = key(envelope.substr(0, envelope.find('\0')));
  const std::string answer = make_answer(secret, purpose, this_rank(), greeting, claim_text(own));
  send_all(socket, answer.data(), answer.size(), peer_name);
  std::string confirmation(confirmation_bytes, '\0');
  deadline = std::max(deadline, now_seconds() + confirmation_seconds);
  receive_within(socket, confirmation.data(), confirmation.size(), deadline);
  if (!check_confirmation(secret, purpose, greeting, answer, confirmation))
    throw Error(fmt::format("{} belongs to another run", peer_name));
  require_same_protocol(*listener, peer_name);
}

Fd connect_to_rank(const std::string& host, int port, const Secret& key, std::string_view purpose,
                   const RankClaim& own, double deadline, const std::string& peer_name) {
  for (;;) {
    try {
      Fd socket = connect_to(host, port, deadline - now_seconds());
      prove_to_listener(
          socket.get(), [&](const auto&) { return key; }, 0, purpose, own, deadline, peer_name);
      return socket;
    } catch (const Refused&) {
      throw;
    } catch (const Error&) {
      if (now_seconds() + between_tries_seconds > deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(between_tries_seconds));
  }
}

std::optional<RankClaim> identify_rank(const PendingClients::Arrival& arrival, const Secret& key,
                                       std::string_view purpose) {
  const auto proven = check_answer(key, purpose, arrival.greeting, arrival.answer);
  if (!proven) return std::nullopt;
  const std::vector<std::string> words = split(proven->claim, ' ');
  const bool complete = words.size() == 4;  // a version before 2 sent two words
  const auto rank = words.size() >= 2 ? to_number<int>(words[0]) : std::nullopt;
  const auto port = words.size() >= 2 ? to_number<int>(words[1]) : std::nullopt;
  if (!rank || !port || *rank < 0 || *port < 0 || *port > 65535) return std::nullopt;
  const std::string confirmation =
      make_confirmation(key, purpose, arrival.greeting, arrival.answer);
  // It fits into the send buffer of a new connection.
  (void)!::send(arrival.socket.get(), confirmation.data(), confirmation.size(),
                MSG_NOSIGNAL | MSG_DONTWAIT);
  require_same_protocol(proven->speaker, fmt::format("rank {}", *rank));
  return RankClaim{*rank, *port, complete ? to_number<int>(words[2]).value_or(0) : 0,
                   complete ? words[3] : ""};
}

}  // namespace slipway::bandwidth
