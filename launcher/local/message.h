// Messages on a SOCK_SEQPACKET socket: one JSON object each, with file descriptors beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

struct Message {
  nlohmann::json body;
  std::vector<Fd> fds;
};

inline constexpr size_t max_message_bytes = 128 * 1024;
inline constexpr size_t max_message_fds = 4;

// Throws Error when the other side is gone or the message is too large.
void send_message(int socket, const nlohmann::json& body, std::span<const int> fds = {});

// Waits for one message. Nothing when the other side has closed. Throws Error on anything that is
// not a message.
std::optional<Message> receive_message(int socket);

// receive_message for whoever asked something: the end of the connection and an {"error": text} are
// thrown as Error.
Message receive_answer(int socket);

}  // namespace slipway::local
