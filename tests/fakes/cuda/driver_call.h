// How every function of the stand-in of the driver begins and ends.
#pragma once

#include "tests/fakes/cuda/declarations.h"
#include "tests/fakes/cuda/gpu.h"

namespace fake {

inline CUresult to_result(int status) {
  return static_cast<CUresult>(status);
}

// Counts the call, and the status that a test orders for it.
inline int begin_driver_call(const char* function) {
  count(function);
  return ordered_failure("FAKE_CUDA_FAIL", function);
}

}  // namespace fake

#define BEGIN_CALL                                                                \
  if (const int ordered = fake::begin_driver_call(__func__); ordered != fake::ok) \
  return fake::to_result(ordered)
