// A SPANK plugin that removes a job's own /tmp after the batch step is initialized and before its task enters it, as slurmd
// does if it is still ending the job's previous start. Its argument is a file: the jobs to which that has happened.
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "spank-plugins/spank/api.h"

namespace fs = std::filesystem;

extern "C" {

extern const char plugin_name[] = "late_removal";
extern const char plugin_type[] = "spank";
unsigned int plugin_version = SLURM_VERSION_NUMBER;
extern const unsigned int spank_plugin_version = 1;

int slurm_spank_init_post_opt(spank_t spank, int, char* words[]) {
  uint32_t job = 0, step = 0;
  constexpr uint32_t batch_step = 0xfffffffb;
  if (spank_context() != S_CTX_REMOTE || spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step != batch_step) {
    return 0;
  }
  std::fstream done(words[0], std::ios::in | std::ios::out | std::ios::app);
  for (std::string line; std::getline(done, line);) {
    if (line == std::to_string(job)) return 0;
  }
  done.clear();
  done << job << '\n';
  for (const fs::directory_entry& node : fs::directory_iterator("/var/lib/slipway/jobs")) {
    const fs::path folder = node.path() / std::to_string(job);
    umount2((folder / ".ns").c_str(), MNT_DETACH);
    umount2(folder.c_str(), MNT_DETACH);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  return 0;
}

}  // extern "C"
