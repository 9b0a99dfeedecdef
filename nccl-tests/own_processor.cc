// Ranks of one host on processors of their own.
#include "nccl-tests/own_processor.h"

namespace slipway::bandwidth {

cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  return allowed;
}

std::optional<int> own_processor(const cpu_set_t& allowed, int index, int ranks, uint64_t token) {
  const int processors = CPU_COUNT(&allowed);
  if (ranks > processors) return std::nullopt;
  const auto begin = static_cast<int>(token % static_cast<uint64_t>(processors));
  int left = (begin + index) % processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed) && left-- == 0) return processor;
  }
  return std::nullopt;
}

void go_to(int processor, const cpu_set_t& allowed) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  if (::sched_setaffinity(0, sizeof only, &only) == 0)
    ::sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace slipway::bandwidth
