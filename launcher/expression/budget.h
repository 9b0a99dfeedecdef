// Limits on the work and memory of one evaluation: a few lines of text can ask for more than a
// machine has.
#pragma once

#include <cstddef>

#include "launcher/expression/value.h"

namespace slipway::expression {

// Starts counting work. Nested objects count toward the outermost one.
class Budget {
 public:
  Budget();
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
};

// Counts `units` of work: about one per value or expression visited. Throws Error above the limit.
void spend(size_t units);

// The longest string that an expression may create, in bytes.
constexpr size_t largest_text = 2'000'000;

// Call before creating a string of that many bytes. Throws Error above the limit.
void spend_text(size_t bytes);

// Counts a value that was copied or created, by its size. Throws Error above the limit, and if the
// value itself is too large or too deep for recursion.
void spend_value(const Value& value);

}  // namespace slipway::expression
