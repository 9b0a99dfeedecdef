// Pictures as PNG, by a program that many machines have.
#include <fmt/core.h>

#include "common/error.h"
#include "common/process.h"
#include "nccl-tests/plot.h"

namespace slipway::bandwidth {
namespace {

constexpr const char* converter = "rsvg-convert";
constexpr int shell_not_found = 127;
// Twice the picture's pixels: it is read on screens and in documents.
constexpr const char* zoom = "2";

}  // namespace

std::string to_png(const std::string& svg) {
  ProcessResult done;
  try {
    done = run_process({converter, "--format=png", "--zoom", zoom}, {.input = svg});
  } catch (const Error&) {
    done.exit_code = shell_not_found;
  }
  if (done.exit_code == shell_not_found) {
    throw UsageError(
        fmt::format("a PNG picture needs {} (Debian: apt install librsvg2-bin), which is not here; "
                    "write an .svg file, which browsers open",
                    converter));
  }
  if (!done.ok()) throw Error(fmt::format("{}: {}", converter, done.errors));
  return done.output;
}

}  // namespace slipway::bandwidth
