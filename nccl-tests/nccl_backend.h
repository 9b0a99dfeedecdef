// The backend of GPU memory over NCCL: one rank a process, one GPU a rank.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"
#include "nccl-tests/launch.h"

namespace slipway::bandwidth {

// nccl-tests' options that only this backend has.
struct NcclSettings {
  enum class Registration { none, local, symmetric };  // -R
  Registration registration = Registration::none;
  int cta_policy = -1;       // -x; -1: NCCL's own
  bool null_stream = false;  // -y
};

// Meets the other ranks; all ranks. Its connect() loads CUDA and NCCL and makes a communicator: it
// throws Error where there is no GPU for each rank, or no library, or ranks have different ones.
std::unique_ptr<Backend> make_nccl_backend(const Launch& launch, const NcclSettings& settings);

}  // namespace slipway::bandwidth
