// How functions of the stand-in of libnccl begin: a call is counted, and fails if a test orders it.
#pragma once

#include <string>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/nccl/declarations.h"
#include "tests/fakes/nccl/log.h"

namespace fake {

inline ncclResult_t begin_call(const char* function) {
  count(function);
  const int ordered = ordered_failure("FAKE_NCCL_FAIL", function);
  if (ordered != ncclSuccess)
    warn(current_device(), "init.cc:1", std::string("an ordered failure of ") + function);
  return static_cast<ncclResult_t>(ordered);
}

}  // namespace fake

#define BEGIN_CALL                                                                     \
  if (const ncclResult_t ordered = fake::begin_call(__func__); ordered != ncclSuccess) \
  return ordered
