// Messages and questions to the user, on stderr. On a terminal, also shows a status line.
#pragma once

#include <string>

#include "common/interrupts.h"

namespace slipway::apply {

class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Prints one or more lines.
  void print(const std::string& text);

  // Shows the current step; the next text replaces it. Does nothing without a terminal.
  void status(const std::string& text);

  // Returns true if the user answers yes. The end of stdin is a no. Throws Error if interrupted.
  bool ask(const std::string& question, const Interrupts& interrupts);

 private:
  void clear();

  bool terminal_;
  bool has_status_ = false;
  std::string typed_;  // answers read ahead from a file
};

}  // namespace slipway::apply
