// Looks for programs and libraries, and for the right release of Slurm.
#include "common/requirement.h"

#include <dlfcn.h>
#include <slurm/slurm_version.h>
#include <unistd.h>

#include "common/error.h"
#include "common/process.h"
#include "common/slurm_version.h"

namespace slipway {
namespace {

constexpr const char* slurmd = "/usr/sbin/slurmd";

constexpr SlurmVersion built_with{SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
                                  SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER)};

// That of the installed slurmd; 0 if it does not say.
SlurmVersion version_of_slurmd() {
  try {
    return parse_slurm_version(run_checked({slurmd, "-V"}, {"", std::chrono::seconds(10)}));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Requirement::State lacks(Needed needed) {
  return needed == Needed::always ? Requirement::State::missing : Requirement::State::warning;
}

Requirement program_required(const std::filesystem::path& program, std::string purpose,
                             std::string package, Needed needed) {
  const bool is_there = ::access(program.c_str(), X_OK) == 0;
  return {program.string(), std::move(purpose), is_there ? Requirement::State::ok : lacks(needed),
          "", std::move(package)};
}

Requirement library_required(const std::string& library, std::string purpose, std::string package,
                             Needed needed) {
  void* const handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle != nullptr) ::dlclose(handle);
  return {library, std::move(purpose), handle != nullptr ? Requirement::State::ok : lacks(needed),
          "", std::move(package)};
}

std::string slurm_release() {
  const std::string version = to_string(built_with);
  return version.substr(0, version.rfind('.'));
}

Requirement slurm_release_required() {
  Requirement release{"Slurm " + slurm_release(),
                      "the release that this build's plugins load into"};
  const SlurmVersion version = version_of_slurmd();
  release.found = to_string(version);
  if (version == SlurmVersion{}) {
    release.state = Requirement::State::missing;
    release.found = "no answer from slurmd -V";
    release.remedy = "install slurmd";
  } else if (version.year != built_with.year || version.month != built_with.month) {
    release.state = Requirement::State::missing;
    release.remedy = "build Slipway with this release's headers";
  }
  return release;
}

}  // namespace slipway
