// Messages and questions to the user, on stderr. On a terminal, also shows a status line.
#pragma once

#include <string>

#include "common/interrupts.h"
#include "common/status_line.h"

namespace slipway::apply {

class Console {
 public:
  // Prints one or more lines.
  void print(const std::string& text) { line_.print(text); }

  // Shows the current step; the next text replaces it. Does nothing without a terminal.
  void status(const std::string& text) { line_.show(text); }

  // Shows what a program does that does not tell, with the seconds, for as long as the result
  // exists.
  [[nodiscard]] StatusLine::Work during(std::string text) { return line_.during(std::move(text)); }

  // Returns true if the user answers yes. The end of stdin is a no. Throws Error if interrupted.
  bool ask(const std::string& question, const Interrupts& interrupts);

  // Throws Error unless the user answers yes.
  void require_approval(const std::string& question, const Interrupts& interrupts);

 private:
  StatusLine line_;
  std::string typed_;  // answers read ahead from a file
};

}  // namespace slipway::apply
