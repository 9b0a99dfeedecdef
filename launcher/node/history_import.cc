// Replaces the accounting database of this controller by another cluster's.
#include "launcher/node/history_import.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/accounting.h"
#include "launcher/node/history_dump.h"
#include "launcher/node/service.h"
#include "launcher/node/service_supervisor.h"
#include "launcher/node/services.h"
#include "launcher/node/slurm_settings.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

// A dump is in memory while the database reads it.
constexpr size_t largest_dump = size_t{4} << 30;  // bytes
constexpr std::chrono::minutes longest_import{60};
constexpr std::chrono::seconds longest_stop{60}, longest_start{120};

struct Daemon {
  const char* name;  // for service_supervisor.h
  const char* unit;
  std::function<bool()> ready;
};

// In the order in which they start.
const std::vector<Daemon>& daemons() {
  static const std::vector<Daemon> all = {
      {"mariadbd", "slipway-database.service", [] { return listens(database_socket); }},
      {"slurmdbd", "slurmdbd.service", [] { return listens(slurmdbd_port); }},
      {"slurmctld", "slurmctld.service", [] { return listens(slurmctld_port); }}};
  return all;
}

// Without systemd, PID 1 is ours.
void stop(const Daemon& daemon) {
  if (has_systemd()) {
    run_checked({"/bin/systemctl", "stop", daemon.unit});
  } else {
    hold_service(daemon.name, longest_stop);
  }
}

void start(const Daemon& daemon) {
  if (has_systemd()) {
    run_checked({"/bin/systemctl", "start", daemon.unit});
  } else {
    release_service(daemon.name);
  }
  wait_until(daemon.ready, longest_start, fmt::format("{} does not start", daemon.name));
}

void stop_all() {
  for (auto daemon = daemons().rbegin(); daemon != daemons().rend(); ++daemon) stop(*daemon);
}

void start_all() {
  for (const Daemon& daemon : daemons()) start(daemon);
}

std::string own_cluster() {
  const std::string name =
      settings_of({{"slurm.conf", read_file("/etc/slurm/slurm.conf")}}).value("clustername");
  if (name.empty()) throw Error("/etc/slurm/slurm.conf has no ClusterName");
  return name;
}

// Of this cluster, with numbers that were used twice.
ImportedHistory history_of(const std::string& cluster) {
  const std::string text =
      run_checked({"sacct", "--clusters=" + cluster, "--allusers", "--duplicates", "--allocations",
                   "--noheader", "--parsable2", "--starttime=1970-01-01", "--format=JobIDRaw"},
                  {.input = "", .deadline = longest_import});
  ImportedHistory history;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    ++history.jobs;
    history.highest_job = std::max(history.highest_job, to_number<uint64_t>(line).value_or(0));
  }
  return history;
}

class Import {
 public:
  Import(const HistoryImport& wanted, const std::function<void(const std::string&)>& say)
      : wanted_(wanted), say_(say) {}

  ImportedHistory run() {
    require_own_database();
    const std::string cluster = own_cluster();
    std::string text = read_regular_file(wanted_.dump, largest_dump);
    const HistoryDump dump = read_history_dump(text);
    const std::string from = choose_cluster(dump, wanted_.cluster);
    require_no_jobs(cluster);
    const std::string statements = import_statements(std::move(text), dump, from, cluster);
    say_("stopping slurmctld, slurmdbd and the database; jobs continue");
    stop_all();
    try {
      keep();
      say_(fmt::format("reading the history of `{}`", from));
      replace_database(statements);
      // It has the number by which the former database knew this cluster.
      fs::remove(fs::path(slurmctld_state) / "clustername");
      say_("starting them again");
      start_all();
    } catch (const Error& error) {
      go_back(error.what());
    }
    ImportedHistory history = history_of(cluster);
    history.cluster = from;
    fs::remove_all(copy_);
    return history;
  }

 private:
  static void require_own_database() {
    if (fs::is_directory(database_tables())) return;
    throw Error(
        "this machine does not run the database of the cluster's accounting; load the dump where "
        "it runs");
  }

  void require_no_jobs(const std::string& cluster) const {
    const uint64_t jobs = history_of(cluster).jobs;
    if (jobs == 0 || wanted_.replace) return;
    throw Error(
        fmt::format("the history of `{}` has {} already, which would be lost; --replace does it",
                    cluster, counted(jobs, "job")));
  }

  void keep() const {
    fs::remove_all(copy_);
    run_checked({"cp", "--archive", "--", database_tables().string(), copy_.string()},
                {.input = "", .deadline = longest_import});
  }

  [[noreturn]] void go_back(const std::string& why) const {
    say_("that failed; going back");
    try {
      stop_all();
      if (fs::exists(copy_)) {
        fs::remove_all(database_tables());
        fs::rename(copy_, database_tables());
      }
      start_all();
    } catch (const Error& error) {
      throw Error(fmt::format("{}; going back failed, too: {}; the former database is in {}", why,
                              error.what(), copy_.string()));
    }
    throw Error(fmt::format("{}; the history is as before", why));
  }

  const HistoryImport& wanted_;
  const std::function<void(const std::string&)>& say_;
  const fs::path copy_ = fs::path(database_folder) / "before-import";
};

}  // namespace

ImportedHistory import_history(const HistoryImport& wanted,
                               const std::function<void(const std::string& line)>& say) {
  try {
    return Import(wanted, say).run();
  } catch (const Error& error) {
    throw error.within(wanted.dump.string());
  }
}

}  // namespace slipway::node
