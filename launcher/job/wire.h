// Messages between the launcher of a job and its agents: JSON objects over TCP, either way.
//
// A message is its length in four bytes, the highest first, and a CBOR object, in which the output
// of programs stands as it is. Nothing here waits: what the socket does not take stays queued.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/fd.h"

namespace slipway::job {

using Message = nlohmann::json;

class Wire {
 public:
  // `largest` is what a message of the other side may have in bytes.
  Wire(Fd socket, size_t largest);

  int fd() const { return socket_.get(); }
  void allow(size_t largest) { largest_ = largest; }

  // Queues a message, and sends what can be sent.
  void put(const Message& message);
  void flush();
  size_t unsent() const { return out_.size(); }

  // Reads what there is. False when the other side has gone, also when it wrote what is no message.
  bool receive();
  // The next whole message; none when there is none. Throws Error on what is no message.
  std::optional<Message> next();

 private:
  Fd socket_;
  size_t largest_;
  bool gone_ = false;
  std::string out_, in_;
};

// Listens on any port of every interface. Throws Error.
Fd listen_for_agents();
int port_of(const Fd& listener);

// Throws Error when nobody answers within `seconds`.
Fd connect_to_launcher(const std::string& host, int port, double seconds);

}  // namespace slipway::job
