// Permutation tests of many rows at once.
#include "nccl-tests/permutation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>

namespace slipway::bandwidth {
namespace {

// More exchanges than that are sampled. The seed is fixed, so that a comparison says the same
// twice.
constexpr size_t most_exchanges = 4096;
constexpr uint64_t exchange_seed = 20'261'123;

// Part of each error, so that rows without noise do not divide by 0. It is far below what a clock
// shows of a time.
constexpr double least_error = 1e-6;

double mean_of_values(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_around(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

double statistic(const MeanError& found, double shift) {
  return (found.mean - shift) / std::hypot(found.error, least_error);
}

// Which runs an exchange puts on the second side; for pairs, which pairs it turns around.
using Chosen = std::vector<bool>;

std::vector<Chosen> all_turns(size_t pairs) {
  std::vector<Chosen> all;
  for (size_t bits = 0; bits < size_t{1} << pairs; ++bits) {
    Chosen turned(pairs);
    for (size_t i = 0; i < pairs; ++i) turned[i] = (bits >> i & 1) != 0;
    all.push_back(std::move(turned));
  }
  return all;
}

// The first one is what was measured: nothing is turned around.
std::vector<Chosen> turns(size_t pairs) {
  if (pairs < 13) return all_turns(pairs);
  std::mt19937_64 random(exchange_seed);
  std::vector<Chosen> some = {Chosen(pairs)};
  while (some.size() < most_exchanges) {
    Chosen turned(pairs);
    for (size_t i = 0; i < pairs; ++i) turned[i] = (random() & 1) != 0;
    some.push_back(std::move(turned));
  }
  return some;
}

// The number of ways to choose `some` of `all`.
double choices(size_t all, size_t some) {
  double product = 1;
  for (size_t i = 1; i <= some; ++i)
    product = product * static_cast<double>(all - some + i) / static_cast<double>(i);
  return std::round(product);
}

// The first one is what was measured: the last `after` runs are on the second side.
std::vector<Chosen> divisions(size_t before, size_t after) {
  Chosen chosen(before + after);
  for (size_t i = before; i < chosen.size(); ++i) chosen[i] = true;
  std::vector<Chosen> found = {chosen};
  if (choices(before + after, after) <= static_cast<double>(most_exchanges)) {
    while (std::prev_permutation(chosen.begin(), chosen.end())) found.push_back(chosen);
    chosen = found.front();
    while (std::next_permutation(chosen.begin(), chosen.end())) found.push_back(chosen);
    return found;
  }
  std::mt19937_64 random(exchange_seed);
  while (found.size() < most_exchanges) {
    for (size_t i = chosen.size() - 1; i > 0; --i) {
      const size_t other = random() % (i + 1);
      const bool kept = chosen[i];
      chosen[i] = chosen[other];
      chosen[other] = kept;
    }
    found.push_back(chosen);
  }
  return found;
}

double turned_statistic(const std::vector<double>& differences, const Chosen& turned,
                        double shift) {
  std::vector<double> values(differences);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] -= shift;
    if (turned[i]) values[i] = -values[i];
  }
  return statistic(paired_mean(values), 0);
}

double divided_statistic(const std::vector<double>& all, const Chosen& after) {
  std::vector<double> sides[2];
  for (size_t i = 0; i < all.size(); ++i) sides[after[i] ? 1 : 0].push_back(all[i]);
  return statistic(difference_of_means(sides[0], sides[1]), 0);
}

// `statistics`: [exchange][row], the measured one first. A row's p-value is the share of exchanges
// in which it, or a row that is less slow, looks at least as slow. It is never below that of a
// slower row.
std::vector<double> step_down(const std::vector<std::vector<double>>& statistics) {
  const std::vector<double>& measured = statistics.front();
  std::vector<size_t> order(measured.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return measured[a] < measured[b]; });
  std::vector<size_t> as_slow(measured.size());
  for (const std::vector<double>& exchange : statistics) {
    double slowest = -INFINITY;
    for (const size_t row : order) {
      slowest = std::max(slowest, exchange[row]);
      // Sums in another order differ in their last digits.
      if (slowest >= measured[row] - 1e-9 * std::fabs(measured[row])) ++as_slow[row];
    }
  }
  std::vector<double> p_values(measured.size());
  double so_far = 0;
  for (auto row = order.rbegin(); row != order.rend(); ++row) {
    so_far = std::max(so_far,
                      static_cast<double>(as_slow[*row]) / static_cast<double>(statistics.size()));
    p_values[*row] = so_far;
  }
  return p_values;
}

double critical_value(std::vector<double> slowest, double level) {
  std::ranges::sort(slowest, std::greater<>());
  const auto above = static_cast<size_t>(level * static_cast<double>(slowest.size()));
  return slowest[std::min(above, slowest.size() - 1)];
}

// The table with each row's mean taken away.
LogTable centered(LogTable table) {
  for (std::vector<double>& row : table) {
    const double mean = mean_of_values(row);
    for (double& value : row) value -= mean;
  }
  return table;
}

// Both sides of each row in one, those of `after` less `shift`.
LogTable joined(const LogTable& before, const LogTable& after, double shift) {
  LogTable all = before;
  for (size_t row = 0; row < all.size(); ++row) {
    for (const double value : after[row]) all[row].push_back(value - shift);
  }
  return all;
}

}  // namespace

MeanError paired_mean(std::span<const double> differences) {
  const auto n = static_cast<double>(differences.size());
  const double mean = mean_of_values(differences);
  return {mean, std::sqrt(squares_around(differences, mean) / (n - 1) / n), n - 1};
}

// Welch's.
MeanError difference_of_means(std::span<const double> before, std::span<const double> after) {
  double mean[2], part[2], lower = 0;
  const std::span<const double> sides[] = {before, after};
  for (int i = 0; i < 2; ++i) {
    const auto n = static_cast<double>(sides[i].size());
    mean[i] = mean_of_values(sides[i]);
    part[i] = squares_around(sides[i], mean[i]) / (n - 1) / n;
    lower += part[i] * part[i] / (n - 1);
  }
  const double variance = part[0] + part[1];
  const auto most = static_cast<double>(before.size() + after.size() - 2);
  return {mean[1] - mean[0], std::sqrt(variance), lower > 0 ? variance * variance / lower : most};
}

std::vector<double> paired_p_values(const LogTable& differences, double shift) {
  std::vector<std::vector<double>> statistics;
  for (const Chosen& turned : turns(differences.front().size())) {
    std::vector<double>& of_rows = statistics.emplace_back();
    for (const auto& row : differences) of_rows.push_back(turned_statistic(row, turned, shift));
  }
  return step_down(statistics);
}

std::vector<double> group_p_values(const LogTable& before, const LogTable& after, double shift) {
  const LogTable all = joined(before, after, shift);
  std::vector<std::vector<double>> statistics;
  for (const Chosen& second : divisions(before.front().size(), after.front().size())) {
    std::vector<double>& of_rows = statistics.emplace_back();
    for (const auto& row : all) of_rows.push_back(divided_statistic(row, second));
  }
  return step_down(statistics);
}

double least_paired_p(size_t pairs) {
  return std::pow(0.5, static_cast<double>(pairs));
}

double least_group_p(size_t before, size_t after) {
  return 1 / choices(before + after, after);
}

double paired_critical(const LogTable& differences, double level) {
  const LogTable table = centered(differences);
  std::vector<double> slowest;
  for (const Chosen& turned : turns(table.front().size())) {
    double most = -INFINITY;
    for (const auto& row : table) most = std::max(most, turned_statistic(row, turned, 0));
    slowest.push_back(most);
  }
  return critical_value(std::move(slowest), level);
}

double group_critical(const LogTable& before, const LogTable& after, double level) {
  const LogTable all = joined(centered(before), centered(after), 0);
  std::vector<double> slowest;
  for (const Chosen& second : divisions(before.front().size(), after.front().size())) {
    double most = -INFINITY;
    for (const auto& row : all) most = std::max(most, divided_statistic(row, second));
    slowest.push_back(most);
  }
  return critical_value(std::move(slowest), level);
}

}  // namespace slipway::bandwidth
