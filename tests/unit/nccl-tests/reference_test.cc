// The statistics beside those of scipy: each line of statistics_reference.inc is a function, its
// arguments, and what scipy says (statistics_reference.py).
#include <cmath>
#include <sstream>

#include "common/distributions.h"
#include "common/text.h"
#include "nccl-tests/compare_tests.h"
#include "nccl-tests/holm.h"
#include "nccl-tests/permutation.h"
#include "nccl-tests/statistics.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

constexpr const char* reference_rows =
#include "tests/unit/nccl-tests/statistics_reference.inc"
    ;

using List = std::vector<double>;

// "1,2;3,4" is two lists.
std::vector<List> lists_of(const std::string& text) {
  std::vector<List> lists;
  for (const std::string& part : split(text, ';')) {
    List& list = lists.emplace_back();
    for (const std::string& number : split(part, ',')) list.push_back(std::stod(number));
  }
  return lists;
}

// Welch's and the paired t test, one-sided: the second list is above the first.
double p_of(const MeanError& found) {
  return 1 - student_cdf(found.mean / found.error, found.freedom);
}

List computed(const std::string& function, const std::vector<List>& in) {
  const List& a = in.at(0);
  if (function == "normal_cdf") return {normal_cdf(a[0])};
  if (function == "normal_quantile") return {normal_quantile(a[0])};
  if (function == "student_cdf") return {student_cdf(a[0], a[1])};
  if (function == "student_quantile") return {student_quantile(a[0], a[1])};
  if (function == "binomial_cdf") {
    return {binomial_cdf(static_cast<int>(a[0]), static_cast<int>(a[1]), a[2])};
  }
  if (function == "holm") return holm(a);
  if (function == "median_interval") {
    const auto interval = describe(a).interval.value();
    return {interval.low, interval.high};
  }
  if (function == "trimmed_mean") {
    List times;
    for (const double value : a) times.push_back(std::exp(value));
    return {run_level(times).log_us};
  }
  if (function == "welch") return {p_of(difference_of_means(a, in.at(1)))};
  if (function == "welch_freedom") return {difference_of_means(a, in.at(1)).freedom};
  if (function == "paired") return {p_of(paired_mean(a))};
  if (function == "sign_flips") return {paired_p_values({a}, 0)[0]};
  if (function == "exchanges") return {group_p_values({a}, {in.at(1)}, 0)[0]};
  if (function == "power") return {needed_errors(a[0], a[1])};
  FAIL("no function " + function);
  return {};
}

}  // namespace

TEST_CASE("statistics: agree with scipy") {
  std::istringstream file(reference_rows);
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string function, arguments, sign, results, digits;
    words >> function >> arguments >> sign >> results >> digits;
    CAPTURE(line);
    const List found = computed(function, lists_of(arguments));
    const List expected = lists_of(results).at(0);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == Approx(expected[i]).epsilon(std::stod(digits)).margin(1e-15));
    ++rows;
  }
  CHECK(rows >= 40);
}
