// Non-blocking IPv4 TCP sockets with deadlines, for the connections between ranks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/fd.h"

namespace slipway::bandwidth {

// Nothing arrived before the deadline.
class Timeout : public Error {
 public:
  using Error::Error;
};

// Nobody listens there.
class Refused : public Error {
 public:
  using Error::Error;
};

double now_seconds();  // of a monotonic clock, which all deadlines refer to

// Listens on every interface on the first of `ports` that is free; 0 is any port. Returns an empty
// Fd if none is free.
Fd listen_on(const std::vector<int>& ports);

// Connects with TCP_NODELAY, closed on exec. Throws Refused, Timeout or another Error.
Fd connect_to(const std::string& host, int port, double seconds);

// Sets TCP_NODELAY, as connect_to() does, so that small messages are sent at once.
void make_prompt(int socket);

// Waits until there is something to read. Throws Timeout.
void wait_to_read(int fd, double deadline);

// If nothing listens on an ephemeral port, Linux may assign that very port to a connection to it on
// the same host, which is then connected to itself.
bool is_connected_to_itself(int socket);

// Sends or receives exactly `bytes`, without a time limit. Throws Error if the other side has gone;
// `peer_name` names it.
void send_all(int socket, const void* data, size_t bytes, const std::string& peer_name);
void receive_all(int socket, void* data, size_t bytes, const std::string& peer_name);
void receive_within(int socket, void* data, size_t bytes, double deadline);

// Sends or receives a text, preceded by its length.
void send_text(int socket, const std::string& text, const std::string& peer_name = "another rank");
std::string receive_text(int socket, const std::string& peer_name);
std::string receive_text_within(int socket, double deadline,
                                const std::string& peer_name = "another rank");

}  // namespace slipway::bandwidth
