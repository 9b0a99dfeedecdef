// A SPANK plugin that applies an image's environment to a task as pyxis does: pyxis_slurmstepd.c
// and args.c of 0.20 and newer. Its arguments are NAME=value, the image's environment.
//
// - The names in --container-env, or else in PYXIS_CONTAINER_ENV, are read before user_init, after
//   slurm_spank_init of all plugins.
// - In task_init, the image's variables replace the task's, unless they are among those names and
//   the task has them. LANG, LANGUAGE and LC_ALL go first.
#include <cstdlib>
#include <set>
#include <string>

#include "spank-plugins/spank/api.h"

namespace {

// Among the arguments, as the option of this name on srun's command line: our own plugin has it.
constexpr const char* option = "--container-env=";

std::set<std::string> kept;

void keep_names(const std::string& list) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = list.find(',', begin);
    kept.insert(list.substr(begin, end - begin));
    if (end == list.npos) break;
    begin = end + 1;
  }
}

}  // namespace

extern "C" {

const char plugin_name[] = "pyxis";
const char plugin_type[] = "spank";
const unsigned int spank_plugin_version = 1;
unsigned int plugin_version = SLURM_VERSION_NUMBER;

int slurm_spank_init_post_opt(spank_t spank, int count, char* words[]) {
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    if (word.starts_with(option)) keep_names(word.substr(std::string(option).size()));
  }
  static char names[1 << 16];
  if (spank_context() == S_CTX_REMOTE && kept.empty() &&
      spank_getenv(spank, "PYXIS_CONTAINER_ENV", names, sizeof names) == ESPANK_SUCCESS) {
    keep_names(names);
  }
  return 0;
}

int slurm_spank_task_init(spank_t spank, int count, char* words[]) {
  for (const char* name : {"LANG", "LANGUAGE", "LC_ALL"})
    if (!kept.contains(name)) spank_unsetenv(spank, name);
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    if (word.starts_with(option)) continue;
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    spank_setenv(spank, name.c_str(), word.substr(equals + 1).c_str(), kept.contains(name) ? 0 : 1);
  }
  return 0;
}

}  // extern "C"
