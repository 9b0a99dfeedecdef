// A SPANK plugin that fakes a container's start (pyxis): in task_init it applies an image's
// environment to the task's. Its arguments are NAME=value.
#include <string>

#include "spank-plugins/spank/api.h"

extern "C" {

SPANK_PLUGIN(fake_image, 1)

int slurm_spank_task_init(spank_t spank, int count, char* words[]) {
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const size_t equals = word.find('=');
    spank_setenv(spank, word.substr(0, equals).c_str(), word.substr(equals + 1).c_str(), 1);
  }
  return 0;
}

}  // extern "C"
