// NCCL, loaded at run time.
#include "nccl-tests/nccl_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "common/error.h"
#include "nccl-tests/find_function.h"

namespace slipway::bandwidth {
namespace {

constexpr int oldest_nccl = 21800;  // the first with ncclCommSplit

void find_required(void* library, NcclLibrary& to) {
  SLIPWAY_FIND(library, to, ncclGetUniqueId);
  SLIPWAY_FIND(library, to, ncclCommInitRankConfig);
  SLIPWAY_FIND(library, to, ncclCommSplit);
  SLIPWAY_FIND(library, to, ncclCommDestroy);
  SLIPWAY_FIND(library, to, ncclCommAbort);
  SLIPWAY_FIND(library, to, ncclCommGetAsyncError);
  SLIPWAY_FIND(library, to, ncclGetLastError);
  SLIPWAY_FIND(library, to, ncclGroupStart);
  SLIPWAY_FIND(library, to, ncclGroupEnd);
  SLIPWAY_FIND(library, to, ncclSend);
  SLIPWAY_FIND(library, to, ncclRecv);
  SLIPWAY_FIND(library, to, ncclAllGather);
  SLIPWAY_FIND(library, to, ncclAllReduce);
  SLIPWAY_FIND(library, to, ncclReduceScatter);
  SLIPWAY_FIND(library, to, ncclBroadcast);
  SLIPWAY_FIND(library, to, ncclReduce);
  SLIPWAY_FIND(library, to, ncclRedOpCreatePreMulSum);
  SLIPWAY_FIND(library, to, ncclRedOpDestroy);
}

// The reason is that of the usual places, not that of CUDA's folder, which is tried last.
std::string why_no_nccl() {
  const char* reason = nullptr;
  if (::dlopen("libnccl.so.2", RTLD_NOW) == nullptr) reason = ::dlerror();
  return fmt::format(
      "NCCL is not installed: cannot load libnccl.so.2 ({}); install it on every node, or add its "
      "folder to LD_LIBRARY_PATH; to measure host memory, say so with --backend tcp",
      reason == nullptr ? "unknown reason" : reason);
}

void find_newer(void* library, NcclLibrary& to) {
  SLIPWAY_FIND_OPTIONAL(library, to, ncclMemAlloc);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclMemFree);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclCommRegister);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclCommDeregister);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclCommWindowRegister);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclCommWindowDeregister);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclAlltoAll);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclGather);
  SLIPWAY_FIND_OPTIONAL(library, to, ncclScatter);
}

}  // namespace

void NcclLibrary::check(int status, const char* what) const {
  if (status == 0) return;
  const char* const last = ncclGetLastError == nullptr ? nullptr : ncclGetLastError(nullptr);
  const std::string detail = last == nullptr || *last == '\0' ? "" : fmt::format(" ({})", last);
  throw Error(fmt::format("{}: {}{}", what, ncclGetErrorString(status), detail));
}

int NcclLibrary::version_code() const {
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");
  return version;
}

std::string NcclLibrary::version() const {
  const int nccl = version_code(), runtime = cuda->version();
  return fmt::format("NCCL {}.{}.{}, CUDA {}.{}", nccl / 10000, nccl / 100 % 100, nccl % 100,
                     runtime / 1000, runtime / 10 % 100);
}

std::shared_ptr<const NcclLibrary> load_nccl() {
  static const std::shared_ptr<const NcclLibrary> loaded = [] {
    auto library = std::make_shared<NcclLibrary>();
    library->cuda = load_cuda();
    void* const nccl = open_library("libnccl.so.2");
    if (nccl == nullptr) throw Error(why_no_nccl());
    SLIPWAY_FIND(nccl, *library, ncclGetVersion);
    SLIPWAY_FIND(nccl, *library, ncclGetErrorString);
    const int version = library->version_code();
    if (version < oldest_nccl) {
      throw Error(fmt::format("NCCL {}.{} is too old; 2.18 or newer is needed",
                              version < 10000 ? version / 1000 : version / 10000,
                              version < 10000 ? version / 100 % 10 : version / 100 % 100));
    }
    find_required(nccl, *library);
    find_newer(nccl, *library);
    return library;
  }();
  return loaded;
}

}  // namespace slipway::bandwidth
