// The client's side of `slipway exec`: connects the caller's terminal, streams and signals to a
// command on a node.
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/error.h"
#include "launcher/local/control.h"
#include "launcher/local/message.h"

namespace slipway::local {
namespace {

using nlohmann::json;

// Puts the caller's terminal into raw mode, so that every key goes to the node, and restores it on
// destruction.
class RawTerminal {
 public:
  RawTerminal() {
    if (::tcgetattr(0, &before_) != 0) throw_errno("cannot read the terminal's settings");
    termios raw = before_;
    ::cfmakeraw(&raw);
    ::tcsetattr(0, TCSADRAIN, &raw);
  }
  ~RawTerminal() { ::tcsetattr(0, TCSADRAIN, &before_); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_ = {};
};

// Signals that are forwarded to the command instead of ending us.
sigset_t passed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH}) {
    sigaddset(&set, number);
  }
  return set;
}

bool write_all(int fd, const char* bytes, ssize_t count) {
  while (count > 0) {
    const ssize_t n = ::write(fd, bytes, static_cast<size_t>(count));
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) {
      bytes += n;
      count -= n;
    }
  }
  return true;
}

// Copies what is available. False at end of file.
bool copy_some(int from, int to) {
  char buffer[1 << 14];
  const ssize_t n = ::read(from, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  return n > 0 && write_all(to, buffer, n);
}

class Attachment {
 public:
  // `terminal`: the node's, for keys and output. `input`: for keys only. Either may be empty.
  Attachment(Fd connection, Fd terminal, Fd input)
      : connection_(std::move(connection)),
        terminal_(std::move(terminal)),
        input_(std::move(input)) {
    const sigset_t set = passed_on();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC));
    if (!signals_) throw_errno("signalfd");
  }

  int run() {
    std::optional<int> exit_code;
    // When the command has ended, its last output may still be in transit.
    while (!exit_code || terminal_) {
      const bool keys = !exit_code && (input_ || (terminal_ && keyboard_));
      pollfd fds[] = {{exit_code ? -1 : connection_.get(), POLLIN, 0},
                      {exit_code ? -1 : signals_.get(), POLLIN, 0},
                      {terminal_.get(), POLLIN, 0},
                      {keys ? 0 : -1, POLLIN, 0}};
      // After the command ends, do not wait for its background processes to close the terminal.
      const int ready = ::poll(fds, 4, exit_code ? 100 : -1);
      if (ready < 0 && errno != EINTR) throw_errno("poll");
      if (ready == 0) break;
      if (fds[2].revents != 0 && !copy_some(terminal_.get(), 1)) terminal_.reset();
      if (fds[3].revents != 0) pass_keys();
      if (fds[1].revents != 0) pass_signal();
      if (fds[0].revents != 0) exit_code = hear_supervisor();
    }
    return *exit_code;
  }

 private:
  void pass_keys() {
    if (copy_some(0, input_ ? input_.get() : terminal_.get())) return;
    keyboard_ = false;
    input_.reset();
  }

  std::optional<int> hear_supervisor() {
    return receive_answer(connection_.get()).body.at("exit_code").get<int>();
  }

  void pass_signal() {
    signalfd_siginfo info = {};
    if (::read(signals_.get(), &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo != SIGWINCH) {
      send_message(connection_.get(), {{"signal", info.ssi_signo}});
    } else if (winsize size = {}; terminal_ && ::ioctl(0, TIOCGWINSZ, &size) == 0) {
      ::ioctl(terminal_.get(), TIOCSWINSZ, &size);
    }
  }

  Fd connection_, terminal_, input_, signals_;
  bool keyboard_ = true;
};

int attach_streams(Fd connection, const json& body) {
  Pipe keys;
  int streams[] = {0, 1, 2};
  if (::isatty(0) == 1) {
    // The command is outside this terminal's session: once we are stopped, it would still read keys
    // meant for the shell. So it gets them through a pipe.
    keys = make_pipe();
    streams[0] = keys.read.get();
    ::signal(SIGPIPE, SIG_IGN);
  }
  send_message(connection.get(), body, streams);
  keys.read.reset();
  return Attachment(std::move(connection), Fd(), std::move(keys.write)).run();
}

int attach_terminal(Fd connection, const json& body) {
  send_message(connection.get(), body);
  Message message = receive_answer(connection.get());
  if (message.fds.size() != 1) throw Error("the node sent no terminal");
  const RawTerminal raw;
  return Attachment(std::move(connection), std::move(message.fds[0]), Fd()).run();
}

}  // namespace

int attach_to_node(const DeploymentFolder& folder, const std::string& node, NodeCommand command) {
  Fd connection = connect_to_supervisor(folder);
  const bool terminal = ::isatty(0) == 1 && ::isatty(1) == 1;
  if (terminal) {
    const char* type = std::getenv("TERM");
    command.terminal = type != nullptr && *type != '\0' ? type : "dumb";
    winsize size = {};
    ::ioctl(0, TIOCGWINSZ, &size);
    command.rows = size.ws_row;
    command.columns = size.ws_col;
  }
  const json body = exec_request(node, command);
  return terminal ? attach_terminal(std::move(connection), body)
                  : attach_streams(std::move(connection), body);
}

}  // namespace slipway::local
