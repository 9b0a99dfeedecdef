// Stops a process at a chosen point, for tests.
#include "launcher/local/checkpoint.h"

#include <fmt/core.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "common/text.h"

namespace slipway::local {
namespace {

int& points() {
  static int left = [] {
    const char* wanted = std::getenv("SLIPWAY_TEST_STOP_AT");
    return wanted == nullptr ? 0 : to_number<int>(wanted).value_or(0);
  }();
  return left;
}

}  // namespace

int points_left() {
  return points();
}

void count_points(int count) {
  points() = count;
}

void checkpoint(const char* what) {
  if (points() <= 0 || --points() > 0) return;
  fmt::print(stderr, "stopped by SLIPWAY_TEST_STOP_AT: {}\n", what);
  std::fflush(stderr);
  ::raise(SIGSTOP);
}

}  // namespace slipway::local
