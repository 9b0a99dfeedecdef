// How a rank proves to another one that it belongs to the same run, when it connects to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/handshake.h"
#include "common/strangers.h"

namespace slipway::bandwidth {

// Of messages between ranks: grows with every change of them.
inline constexpr uint32_t rank_protocol = 1;
Speaker this_rank();

// Who a rank is, as it says when it connects: "3 40123".
struct RankClaim {
  int rank = 0;
  int port = 0;  // where it accepts connections of other ranks
};

// On the side that connects. `key` is asked for with the envelope, of `envelope_bytes`, that the
// listener hands out. Throws Error unless both have proven themselves before `deadline`; `whom` is
// the listener, for the message.
void introduce(int socket, const std::function<Secret(const std::string& envelope)>& key,
               size_t envelope_bytes, std::string_view purpose, const RankClaim& own,
               double deadline, const std::string& whom);

// Connects to a rank of the same run, and proves it. One that sends us away may have too many
// strangers, and is tried again until `deadline`. Throws Error; at once where nobody listens.
Fd connect_to_rank(const std::string& host, int port, const Secret& key, std::string_view purpose,
                   const RankClaim& own, double deadline, const std::string& whom);

// On the side that listens: who has come, if it has proven itself; it is told so then. Throws Error
// when it is of another protocol.
std::optional<RankClaim> check_arrival(const Strangers::Arrival& arrival, const Secret& key,
                                       std::string_view purpose);

}  // namespace slipway::bandwidth
