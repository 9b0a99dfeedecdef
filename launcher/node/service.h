// One daemon of a node, and what it needs to run.
//
// Where systemd runs, daemons are its units; elsewhere they are processes that we start, and those
// that run already are left alone.
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
  std::string log;   // takes its stdout and stderr
  std::string unit;  // of systemd, where that runs
};

// Starts it as a child. Throws Error when the program is missing or the user unknown.
pid_t start_service(const Service& service);

// A service that is to run, which `ready` tells: nothing happens when it does, unless it has to
// begin anew. Waits for it for `limit`; not at all when that is 0. Throws Error when it ends or is
// not ready in time.
void run_service(const Service& service, const std::function<bool()>& ready, bool anew,
                 std::chrono::seconds limit);

// Whether something listens on a TCP port, or on a socket of a path. Asked of the kernel: a
// connection for the sake of asking would stand in the daemons' logs as an error.
bool listens(int port);
bool listens(const std::string& socket);

// Makes a folder and gives it to a user of the node. Throws Error.
void make_folder_for(const std::string& user, const std::filesystem::path& path, mode_t mode);
void give_to(const std::string& user, const std::filesystem::path& path);

}  // namespace slipway::node
