// Looks for programs and libraries, and for the right release of Slurm.
#include "common/requirement.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <slurm/slurm_version.h>
#include <unistd.h>

#include "common/error.h"
#include "common/process.h"

namespace slipway {
namespace {

constexpr const char* slurmd = "/usr/sbin/slurmd";

// "24.11.5" of "slurm-wlm 24.11.5"; empty if it does not say.
std::string version_of_slurmd() {
  try {
    const std::string text = run_checked({slurmd, "-V"}, {"", std::chrono::seconds(10)});
    const size_t begin = text.find_first_of("0123456789");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_first_of(" \n", begin) - begin);
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
  return fmt::format("{:02}.{:02}", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
                     SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER));
}

Requirement slurm_release_required() {
  Requirement release{"Slurm " + slurm_release(),
                      "the release that this build's plugins load into"};
  const std::string version = version_of_slurmd();
  if (version.empty()) {
    release.state = Requirement::State::missing;
    release.found = "no answer from slurmd -V";
    release.remedy = "install slurmd";
  } else if (!version.starts_with(slurm_release() + ".")) {
    release.state = Requirement::State::missing;
    release.found = version;
    release.remedy = "build Slipway with this release's headers";
  } else {
    release.found = version;
  }
  return release;
}

}  // namespace slipway
