// A task of Slurm that asks whether fences of PMIx wait: the first rank comes late to a fence, and each of the others prints
// how long it waited, in milliseconds.
#include <pmix.h>

#include <chrono>
#include <cstdio>
#include <thread>

int main() {
  using Clock = std::chrono::steady_clock;
  pmix_proc_t own = {};
  if (PMIx_Init(&own, nullptr, 0) != PMIX_SUCCESS) return 1;
  PMIx_Fence(nullptr, 0, nullptr, 0);  // all have started
  if (own.rank == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
  const auto begin = Clock::now();
  if (PMIx_Fence(nullptr, 0, nullptr, 0) != PMIX_SUCCESS) return 1;
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  if (own.rank != 0) std::printf("%lld\n", static_cast<long long>(waited.count()));
  return PMIx_Finalize(nullptr, 0) == PMIX_SUCCESS ? 0 : 1;
}
