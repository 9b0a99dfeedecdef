// Reductions: their names, and their implementation for elements in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "nccl-tests/datatype.h"

namespace slipway::bandwidth {

// In the order of ncclRedOp_t. The last is a sum whose addends each rank multiplies by a number of
// its own first (ncclRedOpCreatePreMulSum), which only NCCL has.
enum class Reduction { sum, prod, max, min, avg, mulsum };

std::string_view to_string(Reduction reduction);

// The reductions that `name` selects: one, or every one for "all". Throws UsageError with a
// suggestion for an unknown name.
std::vector<Reduction> parse_reductions(std::string_view name);

// into[i] = other[i] ∘ into[i] for `count` elements. An average is a sum until divide() is called,
// once, at the end.
void reduce_into(Datatype type, Reduction reduction, const std::byte* other, std::byte* into,
                 int64_t count);
// into[i] = a[i] ∘ b[i]. `into` may be `a` or `b`, and must not overlap them otherwise.
void reduce_two(Datatype type, Reduction reduction, const std::byte* a, const std::byte* b,
                std::byte* into, int64_t count);
void divide(Datatype type, std::byte* elements, int64_t count, int by);

// Converts an element to a number, and a number to the nearest element.
double load_element(Element element, const std::byte* at);
void store_element(Element element, double value, std::byte* at);

// Bits of the significand after its leading one; 0 for whole numbers.
int mantissa_bits(Element element);

}  // namespace slipway::bandwidth
