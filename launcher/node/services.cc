// Starts the services of a node.
#include "launcher/node/services.h"

#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/slurm_version.h"
#include "common/text.h"
#include "launcher/health/report_slots.h"
#include "launcher/node/accounting.h"
#include "launcher/node/controllers.h"
#include "launcher/node/service_supervisor.h"

namespace slipway::node {

using namespace std::chrono_literals;

namespace {

constexpr const char* spool_folder = "/var/spool/slurmd";
// In memory: what containers of running jobs need of the node. Users' parts are below it.
constexpr const char* containers_folder = "/run/slipway/containers";

bool is_mount_point(const std::filesystem::path& folder) {
  struct stat here = {}, above = {};
  if (::lstat(folder.c_str(), &here) != 0 || ::stat(folder.parent_path().c_str(), &above) != 0) {
    throw_errno(fmt::format("cannot read {}", folder.native()));
  }
  return here.st_dev != above.st_dev;
}

// Without the watch Slurm finds dead nodes by itself, but later. Older images do not have it.
void start_watch() {
  const Service service{{"/opt/slipway/libexec/slipway/watch-nodes"},
                        "root",
                        fmt::format("{}/watch.log", log_folder),
                        "slipway-watch.service"};
  if (!std::filesystem::exists(service.argv[0])) return;
  try {
    run_service(service);
  } catch (const Error& error) {
    fmt::print(stderr, "slipway node: {}; Slurm will find dead nodes by itself, but later\n",
               error.what());
  }
}

// Files of users on a file system of their own: launcher/health/slots.h.
void prepare_user_files(const std::filesystem::path& folder, mode_t mode) {
  make_directories(folder);
  if (is_mount_point(folder)) return;
  constexpr unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  const std::string options = health::slots_mount_options(mode);
  if (::mount("tmpfs", folder.c_str(), "tmpfs", flags, options.c_str()) != 0) {
    throw_errno(fmt::format("cannot mount {}", folder.native()));
  }
  health::prepare_slots(folder);
}

// Users write to their parts of it, so it is a file system of its own: what fills it does not fill
// /run, which daemons need. Not under a node that may have containers.
void prepare_containers() {
  make_folder_for("root", containers_folder, 0755);
  if (listens(slurmd_port) || is_mount_point(containers_folder) ||
      !std::filesystem::is_empty(containers_folder)) {
    return;
  }
  // As /run has it on systems with systemd. A file in memory costs about a kilobyte even if it is
  // empty.
  constexpr const char* options = "mode=0755,size=20%,nr_inodes=500k";
  if (::mount("tmpfs", containers_folder, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0) {
    throw_errno(fmt::format("cannot mount {}", containers_folder));
  }
}

}  // namespace

void prepare_folders() {
  make_folder_for("munge", "/run/munge", 0755);
  make_folder_for("slurm", log_folder, 0755);
  make_folder_for("slurm", slurmctld_state, 0755);
  make_folder_for("root", spool_folder, 0755);
  prepare_containers();
}

void prepare_spool() {
  if (listens(slurmd_port) || is_mount_point(spool_folder)) return;
  if (::mount("tmpfs", spool_folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=10%") != 0) {
    throw_errno(fmt::format("cannot mount {}", spool_folder));
  }
}

void prepare_reports() {
  prepare_user_files(health::reports_folder, 0711);
}

void prepare_job_states() {
  prepare_user_files(health::job_states_folder, 0755);
}

bool write_munge_key(const std::string& key) {
  const char* path = "/etc/munge/munge.key";
  make_folder_for("munge", "/etc/munge", 0700);
  if (std::filesystem::exists(path) && read_file(path) == key) return false;
  write_file(path, key, 0400);
  give_to("munge", path);
  return true;
}

void start_munge(IfRunning running) {
  // Two threads are munged's minimum; a node needs a handful of credentials a second.
  const Service service{
      {"/usr/sbin/munged", "--foreground", "--num-threads=2", "--seed-file=/run/munge/munge.seed"},
      "munge",
      fmt::format("{}/munged.log", log_folder),
      "munge.service"};
  run_service(
      service, [] { return listens(munge_socket); }, running, 10s);
}

std::vector<std::string> joining_options(const std::string& node_conf) {
  return {"-Z", "--conf", node_conf};
}

std::string slurmd_environment(const std::vector<std::string>& options) {
  return fmt::format("SLURMD_OPTIONS=\"'{}'\"\n", join(options, "' '"));
}

void start_daemons(const std::string& role, IfRunning running,
                   const std::vector<std::string>& slurmd_options) {
  if (role == "controller") {
    const Service service{{"/usr/sbin/slurmctld", "-D"},
                          "root",
                          fmt::format("{}/slurmctld.out", log_folder),
                          "slurmctld.service"};
    run_service(
        service, [] { return listens(slurmctld_port); }, running, 30s);
    start_watch();
  } else if (role == "compute") {
    Service service{{"/usr/sbin/slurmd", "-D"},
                    "root",
                    fmt::format("{}/slurmd.out", log_folder),
                    "slurmd.service"};
    service.argv.insert(service.argv.end(), slurmd_options.begin(), slurmd_options.end());
    // Do not wait for slurmd: slurmctld shows when it has registered.
    run_service(
        service, [] { return listens(slurmd_port); }, running, 0s);
  }
}

SlurmVersion slurm_version() {
  // The daemons print their version without a configuration; clients look for one first.
  for (const char* daemon : {"/usr/sbin/slurmd", "/usr/sbin/slurmctld"}) {
    if (!std::filesystem::exists(daemon)) continue;
    return parse_slurm_version(run_checked({daemon, "-V"}, {.input = "", .deadline = 10s}));
  }
  // On a login node there may be only clients, and no configuration yet. Only root may write there.
  if (!std::filesystem::exists("/usr/bin/sinfo") || ::geteuid() != 0) return {};
  const std::filesystem::path conf = "/run/slipway/version.conf";
  make_directories(conf.parent_path());
  write_file(conf, "ClusterName=none\nSlurmctldHost=none\n");
  const std::string text =
      run_checked({"/usr/bin/env", "SLURM_CONF=" + conf.string(), "/usr/bin/sinfo", "-V"},
                  {.input = "", .deadline = 10s});
  std::filesystem::remove(conf);
  return parse_slurm_version(text);
}

void restart_daemon(const std::string& name) {
  const std::map<std::string, std::function<bool()>> ready = {
      {"mariadbd", [] { return listens(database_socket); }},
      {"munged", [] { return listens(munge_socket); }},
      {"slurmctld", slurmctld_answers},
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
