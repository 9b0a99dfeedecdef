// Writes the Slurm files of the quickstart cluster into a folder, for a test on real daemons:
//   write_slurm_files local|google FOLDER
#include <regex>
#include <string_view>

#include "common/file.h"
#include "common/process.h"
#include "launcher/cluster/slurm_conf.h"
#include "tests/unit/cluster/quickstart.h"

int main(int argc, char** argv) {
  using namespace slipway::cluster;
  if (argc != 3) return 2;
  const std::filesystem::path folder = argv[2];
  const bool google = std::string_view(argv[1]) == "google";
  Cluster cluster = quickstart_cluster(4);
  if (!google) cluster.nodesets.at(0).node_count_dynamic_max = 3;
  SlurmSite site = google ? google_slurm_site() : local_slurm_site(true);
  site.slurm = slipway::parse_slurm_version(slipway::run_checked({"/usr/sbin/slurmctld", "-V"}));
  // The programs that start and stop machines are in the image, but slurmctld requires that they
  // exist.
  for (SlurmSetting& setting : site.settings) {
    if (setting.key.ends_with("Program") && setting.key != "MailProg") setting.value = "/bin/true";
  }
  site.slurm_user = "root";  // the only user of the namespace that the test makes
  site.config_dir = folder;
  site.state_dir = folder / "state";
  site.spool_dir = folder / "spool";
  site.log_dir = folder;
  site.run_dir = folder;
  for (const auto& [name, text] : slurm_files(cluster, shipped_catalogue(), site)) {
    // There is no slurmdbd beside it: tests/system/accounting.bats has one.
    const std::regex accounting("(AccountingStor|JobAcct)[^\n]*\n");
    slipway::write_file(folder / name, std::regex_replace(text, accounting, ""));
  }
  return 0;
}
