// Catch2, version 2 (Debian 12) or 3 (elsewhere): every test includes this and neither.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) {
  return Catch::Matchers::Contains(text);
}
// In version 3, this is a matcher of ranges.
#pragma GCC poison Contains
#endif
