// Takes a changed configuration over on a compute or login node.
#include "launcher/node/follow.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/process.h"
#include "common/process_stat.h"
#include "common/sha256.h"
#include "common/text.h"
#include "launcher/node/boot.h"
#include "launcher/node/cluster_files.h"
#include "launcher/node/daemon_change.h"
#include "launcher/node/job_scripts.h"
#include "launcher/node/monitoring.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

bool has_job() {
  return !processes_named("slurmstepd").empty();
}

class Follow {
 public:
  Follow(Cloud& cloud, const Patience& patience, const FollowOptions& options, const Say& say)
      : cloud_(cloud),
        patience_(patience),
        folder_(options.folder),
        standby_(options.standby),
        say_(say) {}

  void run() {
    self_ = fetch_machine_metadata(cloud_, patience_);
    if (self_.role == "controller" && !standby_) {
      throw Error("this is a controller: `slipway node reconcile` takes its configuration over");
    }
    cluster_ = fetch_cluster_file(cloud_, self_, patience_);
    const std::string digest = digest_of_all();
    if (text_in("done") == digest) return;
    if (!standby_) {
      take_scripts();
      take_profile();
      take_file_systems();
    }
    const bool taken = take_slurm_files();
    take_monitoring(cluster_.monitoring, say_);
    if (!taken) return;
    write_file(folder_ / "done", digest);
    fs::remove(folder_ / "waits");
  }

 private:
  std::string text_in(const char* name) const {
    const fs::path path = folder_ / name;
    return fs::exists(path) ? read_file(path) : "";
  }

  // Of everything in cluster.json that matters here.
  std::string digest_of_all() const {
    std::string all;
    for (const auto& [name, digest] : cluster_.files) {
      const bool is_ours = name.starts_with(slurm_folder) || name == profile_file(self_) ||
                           (name.starts_with(scripts_folder) && self_.role == "compute");
      if (is_ours) all += name + " " + digest + "\n";
    }
    for (const NetworkStorage& one : mounts_of(cluster_, self_)) {
      all += fmt::format("{} {} {} {}\n", one.server, one.remote, one.local, one.options);
    }
    return sha256(all + cluster_.monitoring);
  }

  void take_scripts() {
    if (self_.role != "compute") return;
    const Files scripts = fetch_folder(patience_, cloud_, self_, cluster_, scripts_folder);
    if (write_scripts(scripts)) say_("uses new scripts around jobs");
  }

  void take_profile() {
    const std::string name = profile_file(self_);
    const std::string text = fetch_file(patience_, cloud_, self_, cluster_, name);
    const NodeProfile profile = own_profile(parse_node_profile(text, name), self_);
    if (write_changed(node_profile_path, to_json(profile))) say_("uses a new node profile");
  }

  void take_file_systems() {
    for (const NetworkStorage& storage : mounts_of(cluster_, self_)) {
      mount_storage(patience_, storage, say_);
    }
  }

  // Reports once what it waits for.
  bool wait_until(const std::string& what) {
    if (text_in("waits") != what) say_(what);
    write_file(folder_ / "waits", what);
    return false;
  }

  // False if the files cannot be used yet.
  bool take_slurm_files() {
    const Files after = fetch_folder(patience_, cloud_, self_, cluster_, slurm_folder);
    const Files before = installed_files(after);
    SlurmdChange change = slurmd_change(before, after);
    if (change.how == SlurmdChange::How::nothing) return true;
    if (!change.impossible.empty()) {
      return wait_until(
          fmt::format("{}, which only a new start of the whole cluster can do: the old "
                      "configuration stays",
                      change.impossible));
    }
    if (!is_used_by_slurmctld(after)) {
      return wait_until("a new configuration waits until slurmctld uses it");
    }
    if (self_.role == "compute" && change.needs_idle && has_job()) {
      return wait_until(
          fmt::format("{}: a new configuration waits until this node is free of jobs", change.why));
    }
    use(before, after, change);
    return true;
  }

  // With the new files in a folder of their own, because slurmctld may refuse them.
  bool is_used_by_slurmctld(const Files& files) {
    const fs::path staged = folder_ / "staged";
    fs::remove_all(staged);
    make_directories(staged, 0755);
    for (const auto& [name, text] : files) write_file(staged / name, text);
    const std::string conf = "SLURM_CONF=" + (staged / "slurm.conf").string();
    const ProcessResult answer =
        run_process({"/usr/bin/env", conf, "/usr/bin/scontrol", "show", "config"},
                    {.input = "", .deadline = std::chrono::seconds(60)});
    return answer.ok() && is_slurm_conf_of_slurmctld(answer.output);
  }

  void apply(const SlurmdChange& change) {
    if (standby_) {
      restart_slurmctld();
    } else if (self_.role == "login") {
      reload_sackd();
    } else if (change.how == SlurmdChange::How::restart) {
      restart_slurmd(self_.node_conf.empty() ? std::vector<std::string>()
                                             : joining_options(self_.node_conf));
    } else {
      reload_slurmd();
    }
  }

  void use(const Files& before, const Files& after, const SlurmdChange& change) {
    install_files(after);
    try {
      apply(change);
    } catch (const Error& error) {
      install_files(before);
      apply({SlurmdChange::How::restart});
      throw error.within("the old configuration is back");
    }
    say_(self_.role == "compute" && change.how == SlurmdChange::How::restart
             ? fmt::format("restarted slurmd with a new configuration: {}", change.why)
             : "uses a new configuration");
  }

  Cloud& cloud_;
  const Patience& patience_;
  const fs::path folder_;
  const bool standby_;
  const Say& say_;
  MachineMetadata self_;
  ClusterFile cluster_;
};

}  // namespace

void follow_configuration(Cloud& cloud, const Patience& patience, const FollowOptions& options,
                          const Say& say) {
  make_directories(options.folder, 0755);
  const Fd lock = try_lock(options.folder / "lock");
  if (!lock) throw Error("another run is still at work");
  Follow(cloud, patience, options, say).run();
}

}  // namespace slipway::node
