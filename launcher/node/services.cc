// The services of a node.
#include "launcher/node/services.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/health/job_report.h"
#include "launcher/node/accounting.h"
#include "launcher/node/keeper.h"

namespace slipway::node {

using namespace std::chrono_literals;

namespace {

constexpr const char* munge_socket = "/run/munge/munge.socket.2";

}  // namespace

void prepare_folders() {
  make_folder_for("munge", "/run/munge", 0755);
  make_folder_for("slurm", log_folder, 0755);
  make_folder_for("slurm", "/var/spool/slurmctld", 0755);
  make_folder_for("root", "/var/spool/slurmd", 0755);
}

void prepare_reports() {
  const std::filesystem::path folder = health::reports_folder;
  make_directories(folder);
  struct stat here = {}, above = {};
  if (::lstat(folder.c_str(), &here) != 0 || ::stat(folder.parent_path().c_str(), &above) != 0) {
    throw_errno(fmt::format("cannot look at {}", folder.native()));
  }
  if (here.st_dev != above.st_dev) return;
  constexpr unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("tmpfs", folder.c_str(), "tmpfs", flags, "mode=1733,size=256k,nr_inodes=64") != 0) {
    throw_errno(fmt::format("cannot mount {}", folder.native()));
  }
}

bool write_munge_key(const std::string& key) {
  const char* path = "/etc/munge/munge.key";
  make_folder_for("munge", "/etc/munge", 0700);
  if (std::filesystem::exists(path) && read_file(path) == key) return false;
  write_file(path, key, 0400);
  give_to("munge", path);
  return true;
}

void start_munge(bool anew) {
  // Two threads are munged's least; a node asks for a handful of credentials a second.
  const Service service{
      {"/usr/sbin/munged", "--foreground", "--num-threads=2", "--seed-file=/run/munge/munge.seed"},
      "munge",
      fmt::format("{}/munged.log", log_folder),
      "munge.service"};
  run_service(
      service, [] { return listens(munge_socket); }, anew, 10s);
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

void restart_daemon(const std::string& name) {
  const std::map<std::string, std::function<bool()>> ready = {
      {"mariadbd", [] { return listens(database_socket); }},
      {"munged", [] { return listens(munge_socket); }},
      {"slurmctld", [] { return listens(slurmctld_port); }},
      {"slurmd", [] { return listens(slurmd_port); }},
      {"slurmdbd", [] { return listens(slurmdbd_port); }},
  };
  const auto daemon = ready.find(name);
  if (daemon == ready.end()) {
    throw UsageError(fmt::format(
        "unknown daemon `{}`; known: mariadbd, munged, slurmctld, slurmd, slurmdbd", name));
  }
  restart_service(name, daemon->second, 60s);
}

}  // namespace slipway::node
