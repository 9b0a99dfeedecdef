// Starts one daemon of a node.
#include "launcher/node/service.h"

#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "common/child.h"
#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/service_supervisor.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

const passwd& user_entry(const char* name) {
  const passwd* entry = ::getpwnam(name);
  if (entry == nullptr) throw Error(fmt::format("this node has no user `{}`", name));
  return *entry;
}

// `child` is 0 for a systemd unit.
void wait_for_service(const std::function<bool()>& ready, pid_t child, const Service& service,
                      std::chrono::seconds limit) {
  const std::string& name = service.argv[0];
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!ready()) {
    if (child > 0 && ::waitpid(child, nullptr, WNOHANG) == child) {
      throw Error(
          fmt::format("{} ended at once; its output: {}", name, last_lines(service.log, 3)));
    }
    if (std::chrono::steady_clock::now() > end) {
      throw Error(fmt::format("{} did not answer within {} s; its output: {}", name, limit.count(),
                              last_lines(service.log, 3)));
    }
    std::this_thread::sleep_for(2ms);
  }
}

}  // namespace

bool has_systemd() {
  return std::filesystem::is_directory("/run/systemd/system");
}

pid_t start_service(const Service& service) {
  const passwd user = user_entry(service.user.c_str());
  std::vector<std::string> words = service.argv;
  const std::vector<char*> argv = pointers(words);
  if (::access(argv[0], X_OK) != 0) throw_errno(fmt::format("cannot start {}", service.argv[0]));

  const pid_t child = fork_child(service.argv[0]);
  if (child > 0) return child;
  ::setsid();
  redirect_streams(service.log);
  ::close_range(3, ~0U, 0);
  unblock_signals();
  if (user.pw_uid != 0 && (::initgroups(service.user.c_str(), user.pw_gid) != 0 ||
                           ::setgid(user.pw_gid) != 0 || ::setuid(user.pw_uid) != 0)) {
    ::_exit(126);
  }
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

void give_to(const std::string& user, const std::filesystem::path& path) {
  const passwd& entry = user_entry(user.c_str());
  if (::chown(path.c_str(), entry.pw_uid, entry.pw_gid) != 0) {
    throw_errno(fmt::format("cannot give {} to {}", path.string(), user));
  }
}

void make_folder_for(const std::string& user, const std::filesystem::path& path, mode_t mode) {
  make_directories(path);
  give_to(user, path);
  if (::chmod(path.c_str(), mode) != 0) {
    throw_errno(fmt::format("cannot give {} to {}", path.string(), user));
  }
}

bool has_listener(const std::string& table, int number) {
  // "  sl  local_address rem_address   st ...": the address ends in the port, and state 0A is
  // LISTEN.
  const std::string port = fmt::format(":{:04X} ", number);
  for (const std::string& line : split(table, '\n')) {
    const size_t local = line.find(port);
    if (local != line.npos && line.find(" 0A ", local) != line.npos) return true;
  }
  return false;
}

bool listens(int number) {
  return has_listener(read_file("/proc/net/tcp"), number);
}

bool listens(const std::string& socket) {
  // The flag 00010000 means that the socket listens. Anyone may give a socket this name elsewhere,
  // so the file counts, too.
  struct stat status {};
  if (::lstat(socket.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  for (const std::string& line : split(read_file("/proc/net/unix"), '\n')) {
    const size_t path = line.rfind(' ') + 1;
    const bool is_its_name = line.substr(path) == socket || line.substr(path) == "/var" + socket;
    if (is_its_name && line.find(" 00010000 ") != line.npos) return true;
  }
  return false;
}

void wait_until(const std::function<bool()>& done, std::chrono::seconds limit,
                const std::string& otherwise) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) {
      throw Error(fmt::format("{} within {} s", otherwise, limit.count()));
    }
    std::this_thread::sleep_for(10ms);
  }
}

void run_service(const Service& service, const std::function<bool()>& ready, IfRunning running,
                 std::chrono::seconds limit) {
  if (has_systemd()) {
    run_checked(
        {"/bin/systemctl", running == IfRunning::restart ? "restart" : "start", service.unit});
    if (limit.count() > 0) wait_for_service(ready, 0, service, limit);
    return;
  }
  if (ready()) {
    if (running == IfRunning::restart) {
      throw Error(
          fmt::format("{} still runs with its former configuration, and there is no systemd to "
                      "restart it",
                      service.argv[0]));
    }
    return;
  }
  const auto since = std::chrono::system_clock::now();
  const pid_t child = start_service(service);
  if (limit.count() > 0) wait_for_service(ready, child, service, limit);
  supervise_service(service, child, since);
}

void run_service(const Service& service) {
  run_service(
      service, [] { return false; }, IfRunning::keep, 0s);
}

}  // namespace slipway::node
