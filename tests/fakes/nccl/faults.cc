// What goes wrong on demand.
#include "tests/fakes/nccl/faults.h"

#include <sstream>

#include "tests/fakes/cuda/gpu.h"

namespace fake {

std::optional<std::string> fault(const char* variable, int rank, int64_t operation) {
  std::istringstream orders(setting(variable));
  for (std::string order; std::getline(orders, order, ',');) {
    std::istringstream parts(order);
    std::string whom, when, detail;
    std::getline(parts, whom, ':');
    std::getline(parts, when, ':');
    std::getline(parts, detail);
    if ((whom == "*" || whom == std::to_string(rank)) &&
        (when == "*" || when == std::to_string(operation)))
      return detail;
  }
  return std::nullopt;
}

}  // namespace fake
