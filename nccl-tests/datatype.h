// The element types of a collective, by the names that nccl-tests gives them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

// In the order of ncclDataType_t.
enum class Element {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  bfloat16,
  float8e4m3,
  float8e5m2
};

struct Datatype {
  std::string_view name;  // as `-d` takes it and the column `type` prints it
  int64_t bytes = 0;      // of one element: 1, 2, 4 or 8
  Element element = Element::float32;
};

// Every type, in the order in which `-d all` runs them.
std::span<const Datatype> all_datatypes();

// The types that `name` selects: one, or every type for "all". Throws UsageError with a suggestion
// for an unknown name.
std::vector<Datatype> parse_datatypes(std::string_view name);

}  // namespace slipway::bandwidth
