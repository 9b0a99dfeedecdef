#include "nccl-tests/number_tables.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/filled.h"

using namespace slipway::bandwidth;
using Buffer = std::vector<std::byte>;

namespace {

constexpr int64_t elements = 2048;

Buffer filled_table(const Pattern& pattern) {
  return filled(pattern, static_cast<size_t>(elements * pattern.element_bytes));
}

// In the order first, first + 1, …, as the data of a ring arrives.
Buffer combined(const Numbers& numbers, int first) {
  Buffer sum;
  for (int i = 0; i < numbers.ranks; ++i) {
    const int rank = (first + i) % numbers.ranks;
    Buffer given = filled_table(given_numbers(numbers, rank));
    for (size_t at = 0; numbers.reduction == Reduction::mulsum && at < given.size();
         at += static_cast<size_t>(numbers.type.bytes)) {
      const double value = load_element(numbers.type.element, given.data() + at);
      store_element(numbers.type.element, value * factor_of(rank), given.data() + at);
    }
    if (i == 0)
      sum = given;
    else
      reduce_into(numbers.type, numbers.reduction, given.data(), sum.data(), elements);
  }
  if (numbers.reduction == Reduction::avg)
    divide(numbers.type, sum.data(), elements, numbers.ranks);
  return sum;
}

// NCCL's way to a mean: each rank multiplies by 1/n, which is a number of the type itself.
Buffer scaled_mean(const Numbers& numbers, bool scalar_of_type) {
  const Element element = numbers.type.element;
  const auto bytes = static_cast<size_t>(numbers.type.bytes);
  std::byte scalar[8];
  store_element(element, 1.0 / numbers.ranks, scalar);
  const double factor = scalar_of_type ? load_element(element, scalar) : 1.0 / numbers.ranks;
  Buffer sum(static_cast<size_t>(elements) * bytes);
  for (int rank = 0; rank < numbers.ranks; ++rank) {
    Buffer given = filled_table(given_numbers(numbers, rank));
    for (size_t at = 0; at < given.size(); at += bytes)
      store_element(element, load_element(element, given.data() + at) * factor, given.data() + at);
    reduce_into(numbers.type, Reduction::sum, given.data(), sum.data(), elements);
  }
  return sum;
}

}  // namespace

TEST_CASE("number tables: results do not depend on the order of the ranks") {
  for (const Datatype& type : all_datatypes()) {
    for (const Reduction reduction : parse_reductions("all")) {
      for (const int ranks : {1, 2, 3, 8, 60}) {
        INFO(type.name << " " << to_string(reduction) << " " << ranks);
        const Numbers numbers{type, reduction, 5, ranks};
        CHECK(wrong(combined(numbers, 0), expected_numbers(numbers)) == 0);
        CHECK(wrong(combined(numbers, ranks / 2), expected_numbers(numbers)) == 0);
      }
    }
  }
}

TEST_CASE("number tables: NCCL's way to calculate a mean is within the tolerance") {
  for (const Datatype& type : all_datatypes()) {
    if (mantissa_bits(type.element) == 0) continue;
    for (const int ranks : {2, 3, 7, 8, 12, 16, 24, 100, 128}) {
      INFO(type.name << " " << ranks);
      const Numbers numbers{type, Reduction::avg, 5, ranks};
      CHECK(wrong(scaled_mean(numbers, false), expected_numbers(numbers)) == 0);
      CHECK(wrong(scaled_mean(numbers, true), expected_numbers(numbers)) == 0);
    }
  }
}

TEST_CASE("number tables: zeros are a wrong mean of floating-point numbers, however many ranks") {
  for (const Datatype& type : all_datatypes()) {
    if (mantissa_bits(type.element) == 0) continue;
    for (const int ranks : {2, 8, 128, 1000, 4096}) {
      INFO(type.name << " " << ranks);
      const Buffer zeros(static_cast<size_t>(elements * type.bytes));
      CHECK(wrong(zeros, expected_numbers({type, Reduction::avg, 5, ranks})) == elements);
    }
  }
}

TEST_CASE("number tables: zeros, and what the rank gave itself, are wrong for every reduction") {
  for (const Datatype& type : all_datatypes()) {
    for (const Reduction reduction : parse_reductions("all")) {
      INFO(type.name << " " << to_string(reduction));
      const Numbers numbers{type, reduction, 5, 8};
      const Pattern expected = expected_numbers(numbers);
      CHECK(wrong(Buffer(static_cast<size_t>(elements * type.bytes)), expected) > elements / 2);
      CHECK(wrong(filled_table(given_numbers(numbers, 3)), expected) > elements / 4);
    }
  }
}

TEST_CASE("number tables: a rank missing from a sum is noticed") {
  for (const char* name : {"float", "bfloat16", "f8e5m2", "int8"}) {
    const Numbers numbers{parse_datatypes(name).front(), Reduction::sum, 5, 60};
    Buffer sum(static_cast<size_t>(elements * numbers.type.bytes));
    for (int rank = 1; rank < numbers.ranks; ++rank)
      reduce_into(numbers.type, Reduction::sum, filled_table(given_numbers(numbers, rank)).data(),
                  sum.data(), elements);
    INFO(name);
    CHECK(wrong(sum, expected_numbers(numbers)) > 0);
  }
}

TEST_CASE("number tables: an inverted table is wrong everywhere") {
  for (const Datatype& type : all_datatypes()) {
    for (const Reduction reduction : parse_reductions("all")) {
      INFO(type.name << " " << to_string(reduction));
      const Pattern expected = expected_numbers({type, reduction, 5, 8});
      Buffer buffer(static_cast<size_t>(elements * type.bytes));
      HostPatterns().fill(buffer, Inverted{expected});
      CHECK(wrong(buffer, expected) == elements);
    }
  }
}

TEST_CASE("number tables: a result that begins further on is that part of the whole") {
  const Numbers numbers{parse_datatypes("float").front(), Reduction::sum, 5, 4};
  const Buffer whole = filled_table(expected_numbers(numbers));
  const Buffer part(whole.begin() + 4 * 100, whole.begin() + 4 * 200);
  CHECK(wrong(part, expected_numbers(numbers, 100)) == 0);
  CHECK(wrong(part, expected_numbers(numbers, 101)) > 50);
}
