// How much one evaluation may do: a text of a few lines can ask for more than a machine has.
#pragma once

#include <cstddef>

#include "launcher/expression/value.h"

namespace slipway::expression {

// Counts work for as long as the outermost one of them lives.
class Budget {
 public:
  Budget();
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
};

// Counts `units` of work: about one for a value or an expression that is looked at. Throws Error
// when the evaluation has done as much as it may.
void spend(size_t units);

// The longest text that an expression may make, in bytes.
constexpr size_t largest_text = 2'000'000;

// A text of that many bytes, before it is made. Throws Error when it is too much.
void spend_text(size_t bytes);

// A value that was copied or made: by its size. Throws Error also when one value is too large, or
// too deep for what walks over it.
void spend_value(const Value& value);

}  // namespace slipway::expression
