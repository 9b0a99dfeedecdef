// The figures of a whole run, over all its rows.
#include "nccl-tests/summary.h"

#include <set>

#include "common/text.h"

namespace slipway::bandwidth {

int64_t wrong_runs(const std::vector<Row>& rows) {
  int64_t runs = 0;
  for (const Row& row : rows) runs += row.out_of_place.wrong_runs + row.in_place.wrong_runs;
  return runs;
}

std::optional<int64_t> wrong_elements(const std::vector<Row>& rows) {
  std::optional<int64_t> wrong;
  for (const Row& row : rows) {
    for (const Placement* placement : {&row.out_of_place, &row.in_place}) {
      if (placement->wrong) wrong = wrong.value_or(0) + *placement->wrong;
    }
  }
  return wrong;
}

std::string joined_transport(const std::vector<std::string>& of_ranks) {
  std::set<std::string> each;
  for (const std::string& words : of_ranks) {
    for (const std::string& word : split(words, ',')) each.emplace(trim(word));
  }
  return join(std::vector<std::string>(each.begin(), each.end()), ", ");
}

bool reaches_least_average(const Setup& setup, const std::vector<Row>& rows) {
  constexpr double tolerance = 0.9;  // of nccl-tests
  return !setup.least_average_gb_per_s ||
         average_busbw_gb_per_s(rows) >= tolerance * *setup.least_average_gb_per_s;
}

double average_busbw_gb_per_s(const std::vector<Row>& rows) {
  if (rows.empty()) return 0;
  double sum = 0;
  for (const Row& row : rows) sum += row.out_of_place.busbw_gb_per_s + row.in_place.busbw_gb_per_s;
  return sum / (2 * static_cast<double>(rows.size()));
}

}  // namespace slipway::bandwidth
