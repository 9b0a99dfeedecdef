// The services of a node.
#include "launcher/node/services.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

constexpr const char* log_folder = "/var/log/slurm";

const passwd& user_entry(const char* name) {
  const passwd* entry = ::getpwnam(name);
  if (entry == nullptr) throw Error(fmt::format("this node has no user `{}`", name));
  return *entry;
}

void make_folder_for(const std::string& user, const char* path, mode_t mode) {
  const passwd& entry = user_entry(user.c_str());
  make_directories(path);
  if (::chown(path, entry.pw_uid, entry.pw_gid) != 0 || ::chmod(path, mode) != 0) {
    throw_errno(fmt::format("cannot give {} to {}", path, user));
  }
}

// Asked of the kernel: a connection for the sake of asking would stand in the daemons' logs as an
// error.
bool munge_answers() {
  // The flags 00010000 say that the socket listens.
  for (const std::string& line : split(read_file("/proc/net/unix"), '\n')) {
    if (line.find(" 00010000 ") != line.npos && line.ends_with("/run/munge/munge.socket.2"))
      return true;
  }
  return false;
}

bool listens(int number) {
  // "  sl  local_address rem_address   st ...": the address ends in the port, state 0A is LISTEN.
  const std::string port = fmt::format(":{:04X} ", number);
  for (const std::string& line : split(read_file("/proc/net/tcp"), '\n')) {
    const size_t local = line.find(port);
    if (local != line.npos && line.find(" 0A ", local) != line.npos) return true;
  }
  return false;
}

// sd_booted(3)
bool has_systemd() {
  return std::filesystem::is_directory("/run/systemd/system");
}

// `child` is 0 for a unit of systemd's.
void wait_until(const std::function<bool()>& ready, pid_t child, const Service& service,
                std::chrono::seconds limit) {
  const std::string& name = service.argv[0];
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!ready()) {
    if (child > 0 && ::waitpid(child, nullptr, WNOHANG) == child) {
      throw Error(fmt::format("{} ended at once; it said: {}", name, last_words(service.log, 3)));
    }
    if (std::chrono::steady_clock::now() > end) {
      throw Error(fmt::format("{} did not answer within {} s; it said: {}", name, limit.count(),
                              last_words(service.log, 3)));
    }
    std::this_thread::sleep_for(2ms);
  }
}

// A service that is to run: nothing happens when it does, unless it has to begin anew.
void run_service(const Service& service, const std::function<bool()>& ready, bool anew,
                 std::chrono::seconds limit) {
  if (has_systemd()) {
    run_checked({"/bin/systemctl", anew ? "restart" : "start", service.unit});
    if (limit.count() > 0) wait_until(ready, 0, service, limit);
    return;
  }
  if (ready()) {
    if (anew) {
      throw Error(
          fmt::format("{} runs with what it read earlier, and there is no systemd to "
                      "restart it",
                      service.argv[0]));
    }
    return;
  }
  const pid_t child = start_service(service);
  if (limit.count() > 0) wait_until(ready, child, service, limit);
}

}  // namespace

pid_t start_service(const Service& service) {
  const passwd user = user_entry(service.user.c_str());
  std::vector<char*> argv;
  for (const std::string& word : service.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (::access(argv[0], X_OK) != 0) throw_errno(fmt::format("cannot start {}", service.argv[0]));

  const pid_t child = ::fork();
  if (child < 0) throw_errno(fmt::format("cannot start {}", service.argv[0]));
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

void prepare_folders() {
  make_folder_for("munge", "/run/munge", 0755);
  make_folder_for("slurm", log_folder, 0755);
  make_folder_for("slurm", "/var/spool/slurmctld", 0755);
  make_folder_for("root", "/var/spool/slurmd", 0755);
}

bool write_munge_key(const std::string& key) {
  const char* path = "/etc/munge/munge.key";
  make_folder_for("munge", "/etc/munge", 0700);
  if (std::filesystem::exists(path) && read_file(path) == key) return false;
  write_file(path, key, 0400);
  const passwd& munge = user_entry("munge");
  if (::chown(path, munge.pw_uid, munge.pw_gid) != 0) throw_errno("cannot give the key to munge");
  return true;
}

void start_munge(bool anew) {
  // Two threads are munged's least; a node asks for a handful of credentials a second.
  const Service service{
      {"/usr/sbin/munged", "--foreground", "--num-threads=2", "--seed-file=/run/munge/munge.seed"},
      "munge",
      fmt::format("{}/munged.log", log_folder),
      "munge.service"};
  run_service(service, munge_answers, anew, 10s);
}

std::vector<std::string> joining_options(const std::string& node_conf) {
  return {"-Z", "--conf", node_conf};
}

std::string slurmd_environment(const std::vector<std::string>& options) {
  return fmt::format("SLURMD_OPTIONS=\"'{}'\"\n", join(options, "' '"));
}

void start_daemons(const std::string& role, bool anew,
                   const std::vector<std::string>& slurmd_options) {
  if (role == "controller") {
    const Service service{{"/usr/sbin/slurmctld", "-D"},
                          "root",
                          fmt::format("{}/slurmctld.out", log_folder),
                          "slurmctld.service"};
    run_service(
        service, [] { return listens(slurmctld_port); }, anew, 30s);
  } else if (role == "compute") {
    Service service{{"/usr/sbin/slurmd", "-D"},
                    "root",
                    fmt::format("{}/slurmd.out", log_folder),
                    "slurmd.service"};
    service.argv.insert(service.argv.end(), slurmd_options.begin(), slurmd_options.end());
    // Nobody waits for slurmd: slurmctld says when it has registered.
    run_service(
        service, [] { return listens(slurmd_port); }, anew, 0s);
  }
}

}  // namespace slipway::node
