// The handshake in which two ranks prove to each other that they belong to the same run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/handshake.h"
#include "common/strangers.h"

namespace slipway::bandwidth {

// Of messages between ranks: grows with every change.
inline constexpr uint32_t rank_protocol = 1;
Speaker this_rank();

// How a rank identifies itself when it connects: "3 40123".
struct RankClaim {
  int rank = 0;
  int port = 0;  // where it accepts connections of other ranks
};

// For the side that connects. `key` gets the listener's envelope, of `envelope_bytes`, and returns
// the key. Throws Error unless both have proven themselves before `deadline`; `whom` names the
// listener in the message.
void introduce(int socket, const std::function<Secret(const std::string& envelope)>& key,
               size_t envelope_bytes, std::string_view purpose, const RankClaim& own,
               double deadline, const std::string& whom);

// Connects to a rank of the same run, with proof on both sides. A rank that drops us may have too
// many strangers: it is tried again until `deadline`. Throws Error; at once when nobody listens.
Fd connect_to_rank(const std::string& host, int port, const Secret& key, std::string_view purpose,
                   const RankClaim& own, double deadline, const std::string& whom);

// For the side that listens: identifies a rank that has proven itself, and confirms it. Nothing for
// others. Throws Error when the rank speaks another protocol.
std::optional<RankClaim> check_arrival(const Strangers::Arrival& arrival, const Secret& key,
                                       std::string_view purpose);

}  // namespace slipway::bandwidth
