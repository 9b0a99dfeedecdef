// TCP sockets of IPv4, non-blocking, with deadlines: what the ranks' connections are made of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/fd.h"

namespace slipway::bandwidth {

// What was waited for did not come in time.
class Timeout : public Error {
 public:
  using Error::Error;
};

// Nobody listens there.
class Refused : public Error {
 public:
  using Error::Error;
};

double now_seconds();  // of a clock that never goes back; deadlines are moments of it

// Listens on the first of `ports` that is free, on every interface; 0 is any port. None: an Fd of
// nothing.
Fd listen_on(const std::vector<int>& ports);
int port_of(int socket);

// Without delay for small messages, with large buffers, closed on exec. Throw Error, or
// Timeout, or Refused.
Fd connect_to(const std::string& host, int port, double seconds);

// Has a connection send small messages without delay, as connect_to() does.
void make_prompt(int socket);

// Waits until there is something to read. Throws Timeout.
void wait_to_read(int fd, double deadline);

std::string peer_address(int socket);  // "10.0.0.7"

// Sends or receives exactly `bytes`, and waits as long as it takes. Throws Error when the other
// side has gone; `whom` names it.
void send_all(int socket, const void* data, size_t bytes, const std::string& whom);
void receive_all(int socket, void* data, size_t bytes, const std::string& whom);
void receive_within(int socket, void* data, size_t bytes, double deadline);

// A text of any length, with its length before it.
void send_text(int socket, const std::string& text, const std::string& whom = "another rank");
std::string receive_text(int socket, const std::string& whom);

}  // namespace slipway::bandwidth
