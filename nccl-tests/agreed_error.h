// A failure that every rank knows about, so that all ranks can end together.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {

class AgreedError : public Error {
 public:
  // `speaks` is true on the one rank that prints the message. `meet` is a barrier of all ranks.
  AgreedError(const std::string& text, bool speaks, std::function<void()> meet)
      : Error(text), speaks(speaks), meet(std::move(meet)) {}

  // Prints the message on the rank that speaks. No rank returns before it is printed, because
  // mpirun kills the others as soon as one rank exits with an error.
  void tell(std::string_view program) const {
    if (speaks) fmt::print(stderr, "{}: {}\n", program, what());
    meet();
  }

  bool speaks;
  std::function<void()> meet;
};

}  // namespace slipway::bandwidth
