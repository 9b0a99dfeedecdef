// The element types of a collective, by the names that nccl-tests gives them.
#include "nccl-tests/datatype.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

// The order is that of ncclDataType_t.
constexpr std::array<Datatype, 12> datatypes = {{
    {"int8", 1},
    {"uint8", 1},
    {"int32", 4},
    {"uint32", 4},
    {"int64", 8},
    {"uint64", 8},
    {"half", 2},
    {"float", 4},
    {"double", 8},
    {"bfloat16", 2},
    {"f8e4m3", 1},
    {"f8e5m2", 1},
}};

}  // namespace

std::span<const Datatype> all_datatypes() {
  return datatypes;
}

std::vector<Datatype> parse_datatypes(std::string_view name) {
  if (name == "all") return {datatypes.begin(), datatypes.end()};
  const auto found = std::ranges::find(datatypes, name, &Datatype::name);
  if (found != datatypes.end()) return {*found};

  std::vector<std::string> known = {"all"};
  for (const Datatype& type : datatypes) known.emplace_back(type.name);
  std::string text = fmt::format("unknown datatype `{}`", name);
  const std::string guess = nearest(name, known);
  text += guess.empty() ? fmt::format("; known are {}", join(known, ", "))
                        : fmt::format("; did you mean `{}`?", guess);
  throw UsageError(text);
}

}  // namespace slipway::bandwidth
