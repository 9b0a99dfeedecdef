// Makes a text in a child process: one that hangs, in a driver or for lack of an answer, is killed,
// and what it leaked is gone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/fd.h"

namespace slipway::observe {

class ChildText {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts the child. Throws Error. An exception in `make` is a failure of the child.
  ChildText(const std::function<std::string()>& make, std::chrono::milliseconds limit);
  ~ChildText() { end(); }
  ChildText(const ChildText&) = delete;
  ChildText& operator=(const ChildText&) = delete;

  int fd() const { return pipe_.get(); }  // for poll()
  Clock::time_point deadline() const { return deadline_; }
  // Reads what has arrived, without waiting. True once there is nothing more to wait for.
  bool is_over();
  // The text of a child that ended well; empty otherwise. Call it when is_over().
  std::optional<std::string> text() const;

 private:
  void end();

  Clock::time_point deadline_;
  pid_t pid_ = 0;
  Fd pipe_;
  std::string text_;
  bool ended_well_ = false;
};

// The same, but waits.
std::optional<std::string> text_of_child(const std::function<std::string()>& make,
                                         std::chrono::milliseconds limit);

}  // namespace slipway::observe
