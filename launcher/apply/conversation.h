// Talk with the person who deploys, on stderr: lines that stay, and on a terminal one line that
// does not.
#pragma once

#include <string>

#include "common/interrupts.h"

namespace slipway::apply {

class Conversation {
 public:
  Conversation();
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // A line, or several.
  void say(const std::string& text);

  // What is being done; the next text takes its place. Nothing where there is no terminal.
  void status(const std::string& text);

  // Whether the user says yes. The end of stdin is a no. Throws Error when interrupted.
  bool ask(const std::string& question, const Interrupts& interrupts);

 private:
  void clear();

  bool terminal_;
  bool has_status_ = false;
  std::string typed_;  // of a file: the answers to come
};

}  // namespace slipway::apply
