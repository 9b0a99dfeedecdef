// -D and -V of nccl-tests: kernels of its own, which are not part of this program. The numbers are
// those of its all_reduce.cu and alltoall.cu for NCCL 2.28 and 2.29; no other test has any.
#include "nccl-tests/device_implementation.h"

#include <array>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

struct DeviceKernels {
  Kind kind;
  std::array<const char*, 4> how;  // -D 1 to -D 4
};

constexpr std::array<DeviceKernels, 2> device_kernels = {{
    {Kind::all_reduce,
     {"reads and writes the memory of the other GPUs", "does so in vectors of 16 bytes",
      "has the NVSwitch reduce (multimem)", "has the NVSwitch reduce vectors (multimem)"}},
    {Kind::alltoall,
     {"writes to the memory of the other GPUs", "does so in vectors of 16 bytes",
      "sends over the network from the GPU (GIN)",
      "sends over the network from the GPU (GIN), and writes to the GPUs in reach of NVLink"}},
}};

const DeviceKernels* kernels_of(Kind kind) {
  for (const DeviceKernels& one : device_kernels)
    if (one.kind == kind) return &one;
  return nullptr;
}

constexpr int most_device_blocks = 128;

}  // namespace

void refuse_device_implementation(const Collective& collective, int number, int blocks) {
  if (blocks < 1 || blocks > most_device_blocks)
    throw UsageError(fmt::format("--device_cta_count is {}, it must be from 1 to {}", blocks,
                                 most_device_blocks));
  if (number == 0) return;
  const DeviceKernels* const kernels = kernels_of(collective.kind);
  if (kernels == nullptr)
    throw UsageError(fmt::format(
        "--device_implementation is {}, and nccl-tests has device implementations of all_reduce "
        "and alltoall only: leave out -D and -V",
        number));
  const auto count = static_cast<int>(kernels->how.size());
  if (number < 0 || number > count)
    throw UsageError(
        fmt::format("--device_implementation is {}; nccl-tests has 1 to {} of {}, and 0 is NCCL's "
                    "own collective",
                    number, count, collective.name));
  throw UsageError(fmt::format(
      "--device_implementation is {0}: a kernel of nccl-tests that {1}, compiled for one release "
      "of NCCL. To measure it, run nccl-tests' own {2}_perf with -D {0} -R 2. To measure NCCL's "
      "kernels on symmetric memory, write -R 2 and leave out -D and -V",
      number, kernels->how[static_cast<size_t>(number) - 1], collective.name));
}

}  // namespace slipway::bandwidth
