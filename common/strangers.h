// Those who have connected to a listening socket and have not said yet who they are.
//
// Each is sent a greeting and may send one frame of fixed size. How many there are, how long they
// may take, and what is kept of them is bounded, and nobody waits for them: who is one of us says
// so at once, and must find room whatever others do.
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

class Strangers {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    size_t in_all = 512;
    size_t of_an_address = 128;
    std::chrono::milliseconds patience = std::chrono::seconds(5);  // for the whole answer
  };
  struct Arrival {
    Fd socket;
    std::string greeting, answer;  // the answer is not checked yet
  };

  // `listener` is a listening TCP socket of IPv4 that does not block. `after_greeting` is sent to
  // everybody, too. Throws Error.
  Strangers(Fd listener, Speaker own, std::string after_greeting, Limits limits);
  Strangers(Fd listener, Speaker own, std::string after_greeting = {})
      : Strangers(std::move(listener), std::move(own), std::move(after_greeting), Limits()) {}

  int listener() const { return listener_.get(); }
  // Readable when hear() has something to do.
  int fd() const { return waiting_.get(); }

  // Those who have answered. Never waits. Where there is no room for who comes, the oldest stranger
  // of the address that has most of them has to go.
  std::vector<Arrival> hear();

  size_t size() const { return strangers_.size(); }

 private:
  struct Stranger {
    Fd socket;
    uint32_t address = 0;
    std::string greeting, answer;
    Clock::time_point since;
  };
  using Place = std::list<Stranger>::iterator;

  void accept();
  void welcome(Fd socket, uint32_t address);
  void make_room(uint32_t address);
  void drop_oldest_of(uint32_t address);
  void drop(Place stranger);
  std::optional<Arrival> read(Place stranger);

  Fd listener_, waiting_;
  Speaker own_;
  std::string after_greeting_;
  Limits limits_;
  std::list<Stranger> strangers_;  // the oldest first
  std::map<int, Place> by_socket_;
  std::map<uint32_t, size_t> of_address_;
};

// As many descriptors as this process may have. To be called after children that are not to inherit
// it have been started.
void raise_descriptor_limit();

}  // namespace slipway
