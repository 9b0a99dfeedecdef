// Clients of a listening socket that have not authenticated yet.
//
// Each gets a greeting and may send one frame of fixed size. Their number, time and memory are
// bounded, and the server never waits for them. An honest client answers at once, and is admitted
// whatever others do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/handshake.h"

namespace slipway {

class PendingClients {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    size_t in_total = 512;
    size_t per_address = 128;
    std::chrono::milliseconds patience = std::chrono::seconds(5);  // for the whole answer
  };
  struct Arrival {
    Fd socket;
    std::string greeting, answer;  // the answer is not checked yet
  };

  // `listener` is a non-blocking listening IPv4 TCP socket. `after_greeting` is sent to every
  // client right after the greeting. Throws Error.
  PendingClients(Fd listener, Speaker own, std::string after_greeting, Limits limits);
  PendingClients(Fd listener, Speaker own, std::string after_greeting = {})
      : PendingClients(std::move(listener), std::move(own), std::move(after_greeting), Limits()) {}

  int listener() const { return listener_.get(); }
  // Readable when poll() has something to do.
  int fd() const { return waiting_.get(); }

  // The clients that have answered. Never waits. If there is no room for a new client, the oldest
  // pending client of the address with the most of them is dropped. If the process has no
  // descriptor left and there is no pending client to drop, new clients wait in the kernel's queue
  // for a moment.
  std::vector<Arrival> poll();

  size_t size() const { return clients_.size(); }

 private:
  struct PendingClient {
    Fd socket;
    uint32_t address = 0;
    std::string greeting, answer;
    Clock::time_point since;
  };
  using Place = std::list<PendingClient>::iterator;

  void accept();
  void pause_accepting();
  void resume_accepting();
  void welcome(Fd socket, uint32_t address);
  void make_room(uint32_t address);
  void drop_oldest_of(uint32_t address);
  void drop(Place client);
  std::optional<Arrival> read_from(Place client);

  Fd listener_, waiting_;
  Fd pause_;  // a timer that runs while no client is accepted
  Speaker own_;
  std::string after_greeting_;
  Limits limits_;
  std::list<PendingClient> clients_;  // oldest first
  std::map<int, Place> by_socket_;
  std::map<uint32_t, size_t> of_address_;
};

// Raises the soft limit of descriptors to the hard limit. Call it after starting children that
// should not inherit it.
void raise_descriptor_limit();

}  // namespace slipway
