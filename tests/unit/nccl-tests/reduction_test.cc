#include "nccl-tests/reduction.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

double there_and_back(Element element, double value) {
  std::byte bytes[8];
  store_element(element, value, bytes);
  return load_element(element, bytes);
}

Datatype type(std::string_view name) {
  return parse_datatypes(name).front();
}

// a ∘ b as elements.
double reduced(Datatype type, Reduction reduction, double a, double b) {
  std::vector<std::byte> other(8), into(8);
  store_element(type.element, a, other.data());
  store_element(type.element, b, into.data());
  reduce_into(type, reduction, other.data(), into.data(), 1);
  return load_element(type.element, into.data());
}

}  // namespace

TEST_CASE("reduction: every type keeps small whole numbers") {
  for (const Datatype& each : all_datatypes()) {
    for (const double value : {0.0, 1.0, 2.0, 5.0, 7.0, 8.0}) {
      INFO(each.name);
      CHECK(there_and_back(each.element, value) == value);
    }
  }
}

TEST_CASE("reduction: small formats round to the nearest, ties to even, and have their limits") {
  CHECK(there_and_back(Element::float16, 2049) == 2048);
  CHECK(there_and_back(Element::float16, 2051) == 2052);
  CHECK(there_and_back(Element::float16, 65504) == 65504);
  CHECK(std::isinf(there_and_back(Element::float16, 65520)));
  CHECK(there_and_back(Element::float16, std::ldexp(1, -24)) == std::ldexp(1, -24));
  CHECK(there_and_back(Element::bfloat16, 257) == 256);
  CHECK(there_and_back(Element::float8e4m3, 448) == 448);
  CHECK(std::isnan(there_and_back(Element::float8e4m3, 480)));
  CHECK(there_and_back(Element::float8e4m3, std::ldexp(1, -9)) == std::ldexp(1, -9));
  CHECK(there_and_back(Element::float8e5m2, 57344) == 57344);
  CHECK(std::isinf(there_and_back(Element::float8e5m2, 65536)));
  CHECK(there_and_back(Element::float8e5m2, -1.25) == -1.25);
}

TEST_CASE("reduction: each is correct for every type") {
  for (const Datatype& each : all_datatypes()) {
    INFO(each.name);
    CHECK(reduced(each, Reduction::sum, 3, 5) == 8);
    CHECK(reduced(each, Reduction::avg, 3, 5) == 8);  // until it is divided
    CHECK(reduced(each, Reduction::prod, 2, 3) == 6);
    CHECK(reduced(each, Reduction::max, 3, 5) == 5);
    CHECK(reduced(each, Reduction::min, 3, 5) == 3);
  }
}

TEST_CASE("reduction: a run of elements of any length is what each is alone") {
  for (const Datatype& each : all_datatypes()) {
    for (const Reduction how : parse_reductions("all")) {
      for (const int count : {1, 3, 17, 67}) {
        const auto bytes = static_cast<size_t>(count * each.bytes);
        std::vector<std::byte> a(bytes + 1), b(bytes + 1), both(bytes + 1);
        for (int i = 0; i < count; ++i) {
          store_element(each.element, i % 5 + 1, a.data() + i * each.bytes);
          store_element(each.element, 7 - i % 6, b.data() + i * each.bytes);
        }
        both.back() = std::byte{0x5a};  // what follows is not touched
        reduce_two(each, how, a.data(), b.data(), both.data(), count);
        reduce_two(each, how, a.data(), b.data(), a.data(), count);  // in the place of one of them
        INFO(each.name << " " << to_string(how) << " " << count);
        CHECK(both.back() == std::byte{0x5a});
        CHECK(std::memcmp(a.data(), both.data(), bytes) == 0);
        for (int i = 0; i < count; ++i) {
          const double alone = reduced(each, how, i % 5 + 1, 7 - i % 6);
          REQUIRE(load_element(each.element, both.data() + i * each.bytes) == alone);
        }
      }
    }
  }
}

TEST_CASE("reduction: whole numbers wrap around, and divide down") {
  CHECK(reduced(type("int8"), Reduction::sum, 100, 100) == -56);
  CHECK(reduced(type("uint8"), Reduction::prod, 16, 16) == 0);
  std::byte bytes[4];
  store_element(Element::int32, 7, bytes);
  divide(type("int32"), bytes, 1, 2);
  CHECK(load_element(Element::int32, bytes) == 3);
}

TEST_CASE("reduction: names are nccl-tests', and a typo gets a suggestion") {
  CHECK(parse_reductions("all").size() == 6);
  CHECK(to_string(parse_reductions("avg").front()) == "avg");
  CHECK_THROWS_WITH(parse_reductions("sun"), "unknown reduction `sun`; did you mean `sum`?");
  CHECK(to_string(parse_reductions("mulsum").front()) == "mulsum");
}
