// Arithmetic on elements of any type of NCCL, rounded to the type after every step.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake {

int bytes_of(int type);  // of an element; 0 for an unknown type

// The numbers are those of ncclDataType_t and of ncclRedOp_t up to ncclMin.
enum { op_sum, op_prod, op_max, op_min };

// into = into ∘ other, for `count` elements.
void combine(int type, int op, const std::byte* other, std::byte* into, size_t count);
// Multiplies floating-point elements by 1/n, which is a number of their type itself.
void scale_by_inverse(int type, std::byte* at, size_t count, int n);
// Divides whole numbers by n, toward zero.
void divide(int type, std::byte* at, size_t count, int n);
// Multiplies by a scalar of the same type.
void multiply(int type, std::byte* at, size_t count, const std::byte* scalar);
bool is_whole(int type);

}  // namespace fake
