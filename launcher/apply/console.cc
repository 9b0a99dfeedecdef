// Messages and questions to the user.
#include "launcher/apply/console.h"

#include <fmt/core.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/error.h"
#include "common/text.h"

namespace slipway::apply {

bool Console::ask(const std::string& question, const Interrupts& interrupts) {
  line_.clear();
  // On a terminal, ignore what was typed before the question; a file's lines are answers.
  if (::isatty(STDIN_FILENO) != 0) {
    typed_.clear();
    ::tcflush(STDIN_FILENO, TCIFLUSH);
  }
  fmt::print(stderr, "{} [y/N] ", question);
  std::fflush(stderr);
  while (typed_.find('\n') == std::string::npos) {
    while (!interrupts.wait(STDIN_FILENO, std::chrono::hours(1))) {
    }
    char buffer[256];
    const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      fmt::print(stderr, "\n");
      return false;
    }
    typed_.append(buffer, static_cast<size_t>(n));
  }
  const size_t end = typed_.find('\n');
  const std::string answer = to_lower(trim(std::string_view(typed_).substr(0, end)));
  typed_.erase(0, end + 1);
  if (::isatty(STDIN_FILENO) == 0) fmt::print(stderr, "{}\n", answer);
  return answer == "y" || answer == "yes";
}

void Console::require_approval(const std::string& question, const Interrupts& interrupts) {
  if (ask(question, interrupts)) return;
  throw Error("stopped: not approved (`--auto-approve` skips this question)");
}

}  // namespace slipway::apply
