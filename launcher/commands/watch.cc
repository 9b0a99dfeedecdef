// Keeps the terminal up to date with something that changes.
#include "launcher/commands/watch.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "common/error.h"
#include "common/fd.h"
#include "common/locale_text.h"

namespace slipway::commands {
namespace {

// Switches to the alternate screen, without a cursor, for the object's lifetime.
class AlternateScreen {
 public:
  AlternateScreen() { show("\x1b[?1049h\x1b[?25l"); }
  ~AlternateScreen() { show("\x1b[?25h\x1b[?1049l"); }
  AlternateScreen(const AlternateScreen&) = delete;
  AlternateScreen& operator=(const AlternateScreen&) = delete;

  // Overwrites line by line, so that nothing flickers.
  void draw(const std::vector<std::string>& lines) {
    std::string text = "\x1b[H";
    for (size_t i = 0; i < lines.size(); ++i) {
      text += lines[i] + "\x1b[K";
      if (i + 1 < lines.size()) text += "\r\n";
    }
    show(for_locale(text) + "\x1b[J");
  }

 private:
  static void show(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
};

local::Screen screen_of_terminal() {
  local::Screen screen;
  winsize size = {};
  if (::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    screen.columns = size.ws_col;
    screen.rows = size.ws_row;
  }
  const char* no_colour = std::getenv("NO_COLOR");
  screen.color = no_colour == nullptr || *no_colour == '\0';
  return screen;
}

}  // namespace

void watch(std::chrono::milliseconds interval,
           const std::function<std::vector<std::string>(const local::Screen&)>& draw) {
  sigset_t wanted, before;
  sigemptyset(&wanted);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&wanted, number);
  ::sigprocmask(SIG_BLOCK, &wanted, &before);
  const Fd signals(::signalfd(-1, &wanted, SFD_CLOEXEC));
  if (!signals) throw_errno("signalfd");
  AlternateScreen terminal;
  for (;;) {
    terminal.draw(draw(screen_of_terminal()));
    pollfd fd = {signals.get(), POLLIN, 0};
    if (::poll(&fd, 1, static_cast<int>(interval.count())) <= 0) continue;
    signalfd_siginfo info = {};
    if (::read(signals.get(), &info, sizeof info) != sizeof info) continue;
    if (info.ssi_signo != SIGWINCH) break;
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace slipway::commands
