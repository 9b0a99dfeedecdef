// Messages on a SOCK_SEQPACKET socket: one JSON object each, optionally with file descriptors.
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

// Throws Error if the other side is gone or the message is too large.
void send_message(int socket, const nlohmann::json& body, std::span<const int> fds = {});

// Waits for one message. Empty if the other side has closed. Throws Error on anything that is not a
// message.
std::optional<Message> receive_message(int socket);

// receive_message() for an answer: throws Error if the connection ends or the answer is {"error":
// text}.
Message receive_answer(int socket);

}  // namespace slipway::local
