// Runs a command on a node: user, environment, terminal, working directory.
#include "launcher/local/command.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/child.h"
#include "common/error.h"
#include "common/process.h"
#include "launcher/local/message.h"

namespace slipway::local {
namespace {

[[noreturn]] void fail(int status, const std::string& why) {
  fmt::print(stderr, "slipway exec: {}\n", why);
  std::fflush(stderr);
  ::_exit(status);
}

void take_streams(const std::vector<Fd>& streams) {
  for (int i = 0; i < 3; ++i) ::dup2(streams[static_cast<size_t>(i)].get(), i);
}

// Opens a terminal in this node, keeps one end as stdin, stdout and stderr, and sends the other to
// the client.
void open_terminal(const NodeCommand& command, int connection, uid_t owner) {
  const Fd master(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master || ::unlockpt(master.get()) != 0) throw_errno("cannot open a terminal");
  const winsize size = {command.rows, command.columns, 0, 0};
  ::ioctl(master.get(), TIOCSWINSZ, &size);
  const Fd slave(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY));
  if (!slave) throw_errno("cannot open a terminal");
  ::ioctl(slave.get(), TIOCSCTTY, 0);
  ::fchown(slave.get(), owner, static_cast<gid_t>(-1));
  const int end = master.get();
  send_message(connection, {{"state", "started"}}, std::span(&end, 1));
  for (int i = 0; i < 3; ++i) ::dup2(slave.get(), i);
}

void become_user(const passwd& user) {
  if (::initgroups(user.pw_name, user.pw_gid) != 0 || ::setgid(user.pw_gid) != 0 ||
      ::setuid(user.pw_uid) != 0) {
    fail(126, fmt::format("cannot become user {}: {}", user.pw_name, std::strerror(errno)));
  }
}

// Sets what a login would, and nothing from the host's environment.
void set_environment(const passwd& user, const std::string& terminal) {
  ::clearenv();
  const bool root = user.pw_uid == 0;
  ::setenv("PATH",
           root ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/slipway/bin"
                : "/usr/local/bin:/usr/bin:/bin:/opt/slipway/bin",
           1);
  ::setenv("HOME", user.pw_dir, 1);
  ::setenv("USER", user.pw_name, 1);
  ::setenv("LOGNAME", user.pw_name, 1);
  ::setenv("SHELL", user.pw_shell, 1);
  ::setenv("LANG", "C.UTF-8", 1);
  if (!terminal.empty()) ::setenv("TERM", terminal.c_str(), 1);
}

}  // namespace

nlohmann::json exec_request(const std::string& node, const NodeCommand& command) {
  return {{"request", "exec"},        {"node", node},
          {"argv", command.argv},     {"user", command.user},
          {"folder", command.folder}, {"terminal", command.terminal},
          {"rows", command.rows},     {"columns", command.columns}};
}

NodeCommand command_from_json(const nlohmann::json& body) {
  return {body.at("argv"),     body.at("user"), body.at("folder"),
          body.at("terminal"), body.at("rows"), body.at("columns")};
}

void become_command(const NodeCommand& command, std::vector<Fd> streams, int connection,
                    const std::string& default_folder) {
  ::setsid();
  const passwd* user = ::getpwnam(command.user.c_str());
  if (!command.terminal.empty()) {
    open_terminal(command, connection, user != nullptr ? user->pw_uid : 0);
  } else {
    take_streams(streams);
  }
  ::close_range(3, ~0U, 0);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  unblock_signals();
  ::umask(022);

  if (user == nullptr) fail(126, fmt::format("this node has no user `{}`", command.user));
  become_user(*user);
  set_environment(*user, command.terminal);
  const std::string& folder = command.folder.empty() ? default_folder : command.folder;
  if (::chdir(folder.c_str()) != 0) {
    fail(126, fmt::format("cannot change to {}: {}", folder, std::strerror(errno)));
  }

  std::vector<std::string> words = command.argv;
  if (words.empty()) words = {user->pw_shell, "-l"};
  const std::vector<char*> argv = pointers(words);
  ::execvp(argv[0], argv.data());
  fail(errno == ENOENT ? 127 : 126,
       fmt::format("cannot run {}: {}", words[0], std::strerror(errno)));
}

}  // namespace slipway::local
