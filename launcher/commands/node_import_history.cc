// `slipway node import-history`: takes over the job history of another cluster.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "common/command_line.h"
#include "common/count.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/history_import.h"

namespace slipway::commands {

int node_import_history(Args args) {
  node::HistoryImport wanted;
  std::string file;
  CommandLine line("slipway node import-history",
                   "Take over the job history of another cluster, such as one of slurm-gcp.");
  line.about(
      "Run it on the controller, as root, before the first jobs. FILE is a dump of the other "
      "cluster's accounting database (mariadb-dump, mysqldump), whose Slurm is of this release or "
      "of one that it can follow on. slurmctld and slurmdbd restart. If slurmdbd does not take the "
      "dump, the history is as before.");
  line.positional("FILE", &file);
  line.option("cluster", "NAME", "the cluster in the dump, by its ClusterName", &wanted.cluster,
              "the only one");
  line.flag("replace", "lose the history that this cluster has", &wanted.replace);
  line.example("slipway node import-history slurm_acct_db.sql",
               "on the controller: `sacct` has the other cluster's jobs");
  line.example("slipway node import-history slurm_acct_db.sql --cluster hpcold",
               "choose one of several clusters with one database");
  line.see_also("slipway-migrate(1)");
  if (!line.parse(args)) return 0;
  require_root();
  wanted.dump = std::filesystem::absolute(file);
  forget_the_caller();
  const node::ImportedHistory history = node::import_history(
      wanted, [](const std::string& text) { fmt::print(stderr, "{}\n", text); });
  fmt::print("{} of `{}`", counted(history.jobs, "job"), history.cluster);
  if (history.highest_job > 0) {
    fmt::print(
        "; the highest number is {}: with FirstJobId={} in slurm.conf (`slurm_conf_tpl` of the "
        "controller), no number is used twice",
        history.highest_job, history.highest_job + 1);
  }
  fmt::print("\n");
  return 0;
}

}  // namespace slipway::commands
