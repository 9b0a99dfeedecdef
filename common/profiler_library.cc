// Finds the profiler plugin for NCCL.
#include "common/profiler_library.h"

#include <dlfcn.h>

#include <system_error>

namespace slipway {

std::filesystem::path profiler_library() {
  Dl_info info = {};
  const bool known = ::dladdr(reinterpret_cast<const void*>(&profiler_library), &info) != 0;
  const std::filesystem::path code = known && info.dli_fname != nullptr ? info.dli_fname : "";
  std::filesystem::path folder = code.parent_path().parent_path();
  if (code.parent_path().filename() != "spank") {  // we are not in a plugin of Slurm
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    folder = program.parent_path().parent_path() / "lib/slipway";
  }
  return folder / "nccl/libnccl-profiler-slipway.so";
}

}  // namespace slipway
