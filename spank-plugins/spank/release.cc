// Finds the release of the Slurm that loads a plugin.
#include "spank-plugins/spank/release.h"

// Defined by libslurmfull, with which Slurm's programs are linked; null in a program without it.
#pragma GCC visibility push(default)
extern "C" long slurm_api_version() __attribute__((weak));
#pragma GCC visibility pop

namespace slipway::spank {
namespace {

struct Release {
  long api;
  unsigned version;
};

// API_CURRENT of the file META in Slurm's source, which is libslurm's number. Tried by
// tests/slurm_releases.sh: 22.05, 23.11, 24.11, 25.11 and 26.05. Assumed: the three in between, as
// each release adds one. A wrong row is harmless: Slurm then refuses the plugin, as it would
// without the table.
constexpr Release releases[] = {
    {38, SLURM_VERSION_NUM(22, 5, 0)},  {39, SLURM_VERSION_NUM(23, 2, 0)},
    {40, SLURM_VERSION_NUM(23, 11, 0)}, {41, SLURM_VERSION_NUM(24, 5, 0)},
    {42, SLURM_VERSION_NUM(24, 11, 0)}, {43, SLURM_VERSION_NUM(25, 5, 0)},
    {44, SLURM_VERSION_NUM(25, 11, 0)}, {45, SLURM_VERSION_NUM(26, 5, 0)}};

unsigned met = 0;  // the other release, which has loaded us
unsigned own = 0;
bool has_said_so = false;

}  // namespace

unsigned release_with_api(long number) {
  for (const Release& release : releases) {
    if (release.api == number) return release.version;
  }
  return 0;
}

unsigned meet_slurm(unsigned built_for) {
  own = release_of(built_for);
  const unsigned running =
      slurm_api_version == nullptr ? 0 : release_with_api(slurm_api_version() >> 16);
  if (running == 0 || running == own) return built_for;
  met = running;
  return running;
}

bool stands_aside() {
  if (met == 0) return false;
  if (!has_said_so) {
    has_said_so = true;
    slurm_error(
        "%s: built for Slurm %u.%02u, and this is %u.%02u, so it does nothing: install "
        "Slipway's plugins for this Slurm",
        plugin_name, SLURM_VERSION_MAJOR(own), SLURM_VERSION_MINOR(own), SLURM_VERSION_MAJOR(met),
        SLURM_VERSION_MINOR(met));
  }
  return true;
}

}  // namespace slipway::spank
