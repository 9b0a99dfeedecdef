// Messages and questions to the user.
#include "launcher/apply/console.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/error.h"
#include "common/text.h"

namespace slipway::apply {
namespace {

size_t columns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Console::Console() : terminal_(::isatty(STDERR_FILENO) != 0) {}

Console::~Console() {
  clear();
}

void Console::clear() {
  if (has_status_) fmt::print(stderr, "\r\x1b[K");
  has_status_ = false;
  std::fflush(stderr);
}

void Console::print(const std::string& text) {
  clear();
  fmt::print(stderr, "{}\n", text);
}

void Console::status(const std::string& text) {
  if (!terminal_) return;
  clear();
  // A line that wraps could not be erased. Names are ASCII.
  fmt::print(stderr, "{}", text.substr(0, columns() - 1));
  std::fflush(stderr);
  has_status_ = true;
}

bool Console::ask(const std::string& question, const Interrupts& interrupts) {
  clear();
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
  std::string answer(trim(std::string_view(typed_).substr(0, end)));
  typed_.erase(0, end + 1);
  std::transform(answer.begin(), answer.end(), answer.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (::isatty(STDIN_FILENO) == 0) fmt::print(stderr, "{}\n", answer);
  return answer == "y" || answer == "yes";
}

}  // namespace slipway::apply
