// The element types of a collective, by the names that nccl-tests gives them.
#include "nccl-tests/datatype.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

constexpr std::array<Datatype, 12> datatypes = {{
    {"int8", 1, Element::int8},
    {"uint8", 1, Element::uint8},
    {"int32", 4, Element::int32},
    {"uint32", 4, Element::uint32},
    {"int64", 8, Element::int64},
    {"uint64", 8, Element::uint64},
    {"half", 2, Element::float16},
    {"float", 4, Element::float32},
    {"double", 8, Element::float64},
    {"bfloat16", 2, Element::bfloat16},
    {"f8e4m3", 1, Element::float8e4m3},
    {"f8e5m2", 1, Element::float8e5m2},
}};

// What other programs call them.
struct OtherName {
  std::string_view name, type;
};
constexpr std::array<OtherName, 15> other_names = {{{"fp16", "half"},
                                                    {"float16", "half"},
                                                    {"f16", "half"},
                                                    {"bf16", "bfloat16"},
                                                    {"fp32", "float"},
                                                    {"float32", "float"},
                                                    {"f32", "float"},
                                                    {"fp64", "double"},
                                                    {"float64", "double"},
                                                    {"f64", "double"},
                                                    {"fp8", "f8e4m3"},
                                                    {"fp8_e4m3", "f8e4m3"},
                                                    {"fp8_e5m2", "f8e5m2"},
                                                    {"int", "int32"},
                                                    {"char", "int8"}}};

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
  if (name.find_first_not_of("0123456789,") == name.npos)
    throw UsageError(text + "; to choose GPUs, set CUDA_VISIBLE_DEVICES");
  const auto other = std::ranges::find(other_names, name, &OtherName::name);
  const std::string guess =
      other != other_names.end() ? std::string(other->type) : nearest(name, known);
  text += guess.empty() ? fmt::format("; known are {}", join(known, ", "))
                        : fmt::format("; did you mean `{}`?", guess);
  throw UsageError(text);
}

}  // namespace slipway::bandwidth
