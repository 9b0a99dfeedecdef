// The handshake between two ranks, which prove to each other that they belong to the same run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/handshake.h"
#include "common/pending_clients.h"

namespace slipway::bandwidth {

// The version of the messages between ranks: increase it with every change.
inline constexpr uint32_t rank_protocol = 3;
Speaker this_rank();

// How a rank identifies itself when it connects: "3 40123 8 node-1".
struct RankClaim {
  int rank = 0;
  int port = 0;           // where it accepts connections from other ranks
  int size = 0;           // how many ranks it knows of; 0 where that is known
  std::string host = {};  // for messages
};
std::string claim_text(const RankClaim& claim);

// Throws Error if the other side has another version of the messages.
void require_same_protocol(const Speaker& other, const std::string& peer_name);

// For the side that connects. `key` takes the listener's envelope of `envelope_bytes` and returns
// the key. Throws Error unless both sides have proven themselves before `deadline`; `peer_name`
// names the listener in messages.
void prove_to_listener(int socket, const std::function<Secret(const std::string& envelope)>& key,
                       size_t envelope_bytes, std::string_view purpose, const RankClaim& own,
                       double deadline, const std::string& peer_name);

// Connects to a rank of the same run, with proof on both sides. A rank that drops the connection
// may have too many pending ones: it is tried again until `deadline`. Throws Error, at once if
// nothing listens there.
Fd connect_to_rank(const std::string& host, int port, const Secret& key, std::string_view purpose,
                   const RankClaim& own, double deadline, const std::string& peer_name);

// For the side that listens: identifies a rank that has proven itself, and confirms it. Empty for
// any other program. Throws Error if the rank uses a different protocol.
std::optional<RankClaim> identify_rank(const PendingClients::Arrival& arrival, const Secret& key,
                                       std::string_view purpose);

}  // namespace slipway::bandwidth
