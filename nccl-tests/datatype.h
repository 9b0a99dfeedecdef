// The element types of a collective, by the names that nccl-tests gives them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

struct Datatype {
  std::string_view name;  // as `-d` takes it and the column `type` prints it
  int64_t bytes;          // of one element: 1, 2, 4 or 8
};

// Every type, in the order in which `-d all` runs them.
std::span<const Datatype> all_datatypes();

// The types that `name` stands for: one, or every type for "all". Throws UsageError with a
// suggestion when there is none.
std::vector<Datatype> parse_datatypes(std::string_view name);

}  // namespace slipway::bandwidth
