// Starts one daemon of a node.
//
// With systemd, daemons are its units. Without it, they are processes that we start, and those that
// already run are left alone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace slipway::node {

inline constexpr const char* log_folder = "/var/log/slurm";

// A daemon that stays in the foreground.
struct Service {
  std::vector<std::string> argv;
  std::string user = "root";
  std::string log;   // receives stdout and stderr
  std::string unit;  // systemd unit, used if systemd runs
};

// Whether systemd runs, as sd_booted(3).
bool has_systemd();

// Starts it as a child. Throws Error if the program is missing or the user is unknown.
pid_t start_service(const Service& service);

// What to do with a service that already runs: its configuration may have changed.
enum class IfRunning { keep, restart };

// Starts a service unless it is ready already, and waits up to `limit` until `ready` returns true;
// does not wait if `limit` is 0. Throws Error if the service ends or is not ready in time.
void run_service(const Service& service, const std::function<bool()>& ready, IfRunning running,
                 std::chrono::seconds limit);

// Starts a service that nothing shows to be ready, such as a timer. Once a boot: without systemd,
// it does not look for another one.
void run_service(const Service& service);

// Throws Error, "<otherwise> within 60 s", if `done` does not return true by then.
void wait_until(const std::function<bool()>& done, std::chrono::seconds limit,
                const std::string& otherwise);

// Whether something listens on a TCP port or on the socket at a path. Reads the kernel's tables: a
// test connection would show up in the daemons' logs as an error.
bool listens(int port);
bool has_listener(const std::string& table, int port);  // in another machine's /proc/net/tcp
bool listens(const std::string& socket);

// Makes a folder and gives it to a user of the node. Throws Error.
void make_folder_for(const std::string& user, const std::filesystem::path& path, mode_t mode);
void give_to(const std::string& user, const std::filesystem::path& path);

}  // namespace slipway::node
