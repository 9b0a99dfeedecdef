// Several ranks from one started process: nccl-tests' -g and -t.
#pragma once

#include <optional>
#include <string>

namespace slipway::bandwidth {

// Makes `count` processes of this one, each of which knows its share (launch.h) and continues with
// an empty result. This process waits for them, and returns the status to exit with: the largest of
// theirs, or 3 if one was killed. Call it before any thread, GPU or MPI is used.
std::optional<int> become_several(int count, const std::string& program);

}  // namespace slipway::bandwidth
