// Writes the Slurm files of the quickstart cluster into a folder, for a test on real daemons:
//   write_slurm_files FOLDER [NODES]
#include <cstdlib>

#include "common/file.h"
#include "launcher/cluster/slurm_conf.h"
#include "tests/unit/cluster/quickstart.h"

int main(int argc, char** argv) {
  using namespace slipway::cluster;
  if (argc < 2) return 2;
  const std::filesystem::path folder = argv[1];
  const Cluster cluster = quickstart_cluster(argc > 2 ? std::atoi(argv[2]) : 4);
  SlurmSite site = local_slurm_site();
  site.slurm_user = "root";  // the only user of the namespace that the test makes
  site.config_dir = folder;
  site.state_dir = folder / "state";
  site.spool_dir = folder / "spool";
  site.log_dir = folder;
  site.run_dir = folder;
  for (const auto& [name, text] : slurm_files(cluster, shipped_catalogue(), site)) {
    slipway::write_file(folder / name, text);
  }
  return 0;
}
