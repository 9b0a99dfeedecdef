// A failure that every rank knows of, so that all can end in good order.
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
  // `speaks` is true on the one rank that is to print it. `meet` returns when all ranks have called
  // it.
  AgreedError(const std::string& text, bool speaks, std::function<void()> meet)
      : Error(text), speaks(speaks), meet(std::move(meet)) {}

  // Says it, on the rank that speaks, and returns on none before it is said: mpirun kills the
  // others as soon as one rank has left with an error.
  void tell(std::string_view program) const {
    if (speaks) fmt::print(stderr, "{}: {}\n", program, what());
    meet();
  }

  bool speaks;
  std::function<void()> meet;
};

}  // namespace slipway::bandwidth
