// A plugin that meets a Slurm that it was not built for: it says so, and stands aside.
//
// Slurm refuses such a plugin, and with `required` in plugstack.conf, or an include of ours that
// says it, no daemon and no srun starts. So the plugin takes the release of the process that loads
// it, and then does nothing. docs/decisions/0211-a-plugin-under-another-slurm.md says more.
#pragma once

#include "spank-plugins/spank/api.h"

// The release that a plugin is built for. Tests build a plugin for another.
#ifndef SLIPWAY_BUILT_FOR_SLURM
#define SLIPWAY_BUILT_FOR_SLURM SLURM_VERSION_NUMBER
#endif

namespace slipway::spank {

// Major and minor of a version as in SLURM_VERSION_NUMBER: 0x160508 and 0x160500 are one release.
constexpr unsigned release_of(unsigned version) {
  return version & 0xffff00;
}

// The release with this number of its API (slurm_api_version() >> 16); 0 if we do not know it.
unsigned release_with_api(long number);

// Called when the plugin is loaded, with the version that it was built for: returns the version
// that Slurm is to see. Differs only if the process is of another release that we know.
unsigned meet_slurm(unsigned built_for);

// Whether another release has loaded the plugin, which the first call logs.
bool stands_aside();

}  // namespace slipway::spank

// What Slurm looks up in a plugin, in place of SPANK_PLUGIN; within extern "C".
#define SLIPWAY_SPANK_PLUGIN(name)                               \
  const char plugin_name[] = #name;                              \
  const char plugin_type[] = "spank";                            \
  const unsigned int spank_plugin_version = 1;                   \
  unsigned int plugin_version = SLIPWAY_BUILT_FOR_SLURM;         \
  [[gnu::constructor]] static void meet_slurm() {                \
    plugin_version = slipway::spank::meet_slurm(plugin_version); \
  }
