// Clients of a listening socket that have not proven yet who they are.
//
// Each is sent a greeting and may send one frame of fixed size. Their number, their time and what
// is kept of them are bounded, and nobody waits for them: an honest client answers at once, and
// finds room whatever others do.
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

  // `listener` is a non-blocking listening TCP socket of IPv4. `after_greeting` is sent to
  // everybody, right after the greeting. Throws Error.
  Strangers(Fd listener, Speaker own, std::string after_greeting, Limits limits);
  Strangers(Fd listener, Speaker own, std::string after_greeting = {})
      : Strangers(std::move(listener), std::move(own), std::move(after_greeting), Limits()) {}

  int listener() const { return listener_.get(); }
  // Readable when hear() has something to do.
  int fd() const { return waiting_.get(); }

  // Those who have answered. Never waits. Where there is no room for a newcomer, the oldest
  // stranger of the address with the most strangers has to go; where the process has no descriptor
  // left and there is no stranger to drop, newcomers wait in the kernel's queue for a moment.
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
  void pause_accepting();
  void resume_accepting();
  void welcome(Fd socket, uint32_t address);
  void make_room(uint32_t address);
  void drop_oldest_of(uint32_t address);
  void drop(Place stranger);
  std::optional<Arrival> read_from(Place stranger);

  Fd listener_, waiting_;
  Fd pause_;  // a timer; runs while nobody is accepted
  Speaker own_;
  std::string after_greeting_;
  Limits limits_;
  std::list<Stranger> strangers_;  // the oldest first
  std::map<int, Place> by_socket_;
  std::map<uint32_t, size_t> of_address_;
};

// Raises the soft limit of descriptors to the hard one. Call it after you have started children
// that should not inherit it.
void raise_descriptor_limit();

}  // namespace slipway
