// Decides which host the ranks of a communicator wait for.
#include "launcher/job/collective_times.h"

#include <algorithm>
#include <iterator>

#include "common/median.h"

namespace slipway::job {
namespace {

constexpr size_t fewest_collectives = 20;  // in a window: below that, a median says little
constexpr size_t fewest_samples = 12;      // of each rank
constexpr size_t fewest_of_operation = 4;  // of all ranks, to know what is usual
// Of all pairs of an own time and another host's, in how many the own one must be shorter. By
// chance, it is half of them, and 12 times vary by 0.08.
constexpr double nearly_all = 0.9;
constexpr size_t most_collectives = 4096;  // kept in a window
constexpr size_t most_functions = 64, most_operations = 1024;
constexpr double microseconds_per_second = 1e6;

// The median of sorted values without the one at `position`.
double median_without(const std::vector<double>& values, size_t position) {
  const size_t left = values.size() - 1;
  const auto at = [&](size_t index) { return values[index < position ? index : index + 1]; };
  return left % 2 != 0 ? at(left / 2) : (at(left / 2 - 1) + at(left / 2)) / 2;
}

// How far each value is below the median of the others.
std::map<std::string, double> below_others(const std::map<std::string, double>& values) {
  std::vector<double> sorted;
  for (const auto& [host, value] : values) sorted.push_back(value);
  std::ranges::sort(sorted);
  std::map<std::string, double> below;
  for (const auto& [host, value] : values) {
    const auto position = std::ranges::lower_bound(sorted, value) - sorted.begin();
    below[host] = median_without(sorted, static_cast<size_t>(position)) - value;
  }
  return below;
}

// Of sorted values, how many are greater; of equal ones, half.
double count_greater(const std::vector<double>& sorted, double value) {
  const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), value);
  return static_cast<double>(sorted.end() - first + (sorted.end() - end)) / 2;
}

}  // namespace

bool CollectiveTimes::add(const RankCollective& seen) {
  ranks_ = std::max(ranks_, seen.ranks);
  if (!last_.contains(seen.function) && last_.size() >= most_functions) return false;
  const auto follow = [&](std::map<Function, std::map<int64_t, int64_t>>& last) {
    const auto [known, is_first] = last[seen.function].emplace(seen.rank, seen.sequence);
    if (!is_first && seen.sequence <= known->second) return false;
    known->second = seen.sequence;
    return true;
  };
  const bool is_entry = follow(last_);
  if (!seen.has_ended || !follow(last_ended_)) return is_entry;
  const Operation operation(seen.function, seen.bytes);
  if (seen.gb_per_second > 0 && (speeds_.contains(operation) || speeds_.size() < most_operations)) {
    std::vector<double>& speeds = speeds_[operation];
    if (speeds.size() < most_collectives) speeds.push_back(seen.gb_per_second);
  }
  const std::pair number(seen.function, seen.sequence);
  if (!is_message(seen) &&
      (collectives_.contains(number) || collectives_.size() < most_collectives))
    collectives_[number][seen.rank] = {seen.microseconds, seen.start_microseconds, seen.bytes,
                                       seen.stands_for};
  return true;
}

void CollectiveTimes::clear() {
  collectives_.clear();
  speeds_.clear();
}

CollectiveTimes::ByHost CollectiveTimes::lateness(const std::vector<std::string>& nodes,
                                                  double seconds) const {
  ByHost late = by_number(nodes, seconds);
  return late.empty() ? by_sample(nodes, seconds) : late;
}

CollectiveTimes::ByHost CollectiveTimes::by_number(const std::vector<std::string>& nodes,
                                                   double seconds) const {
  std::map<std::string, std::vector<double>> late, late_programs;  // by host, in microseconds
  size_t whole = 0;
  double all = 0;
  for (const auto& [number, ranks] : collectives_) {
    if (static_cast<int64_t>(ranks.size()) < ranks_) continue;
    std::map<std::string, double> shortest, starts;  // the last start, with a minus
    bool has_times = true, has_starts = true;
    int64_t stands_for = 1;
    for (const auto& [rank, part] : ranks) {
      const std::string& host = nodes[static_cast<size_t>(rank)];
      const auto least = [&](std::map<std::string, double>& of, double value) {
        const auto known = of.emplace(host, value).first;
        known->second = std::min(known->second, value);
      };
      least(shortest, part.microseconds);
      least(starts, -part.start_microseconds);
      has_times = has_times && part.microseconds > 0;
      has_starts = has_starts && part.start_microseconds > 0;
      stands_for = std::max(stands_for, part.stands_for);
    }
    if (shortest.size() < 2 || (!has_times && !has_starts)) continue;
    ++whole;
    all += static_cast<double>(stands_for);
    for (const auto& [host, below] : below_others(has_times ? shortest : starts))
      late[host].push_back(below);
    if (!has_starts) continue;
    for (const auto& [host, below] : below_others(starts)) late_programs[host].push_back(below);
  }
  if (whole < fewest_collectives) return {};
  const double share_of_one = all / seconds / microseconds_per_second;
  ByHost hosts;
  for (const auto& [host, times] : late) {
    hosts[host].share = median(times) * share_of_one;
    if (late_programs[host].size() == times.size())
      hosts[host].of_program = median(late_programs[host]) * share_of_one;
  }
  return hosts;
}

std::map<int64_t, std::vector<double>> CollectiveTimes::differences() const {
  std::map<Operation, std::vector<std::pair<int64_t, double>>> operations;
  for (const auto& [number, ranks] : collectives_)
    for (const auto& [rank, part] : ranks)
      if (part.microseconds > 0)
        operations[{number.first, part.bytes}].emplace_back(rank, part.microseconds);
  std::map<int64_t, std::vector<double>> differences;
  for (const auto& [operation, times] : operations) {
    if (times.size() < fewest_of_operation) continue;
    std::vector<double> values;
    for (const auto& [rank, value] : times) values.push_back(value);
    const double usual = median(std::move(values));
    for (const auto& [rank, value] : times) differences[rank].push_back(value - usual);
  }
  return differences;
}

// Of all functions, by their numbers: how many collectives there were, recorded or not.
double CollectiveTimes::count() const {
  std::map<Function, std::pair<int64_t, int64_t>> ends;
  for (const auto& [number, ranks] : collectives_) {
    const auto known = ends.emplace(number.first, std::pair(number.second, number.second)).first;
    known->second.second = number.second;  // numbers rise
  }
  double count = 0;
  for (const auto& [function, numbers] : ends)
    count += static_cast<double>(numbers.second - numbers.first);
  return count;
}

CollectiveTimes::ByHost CollectiveTimes::by_sample(const std::vector<std::string>& nodes,
                                                   double seconds) const {
  // Few of those in common are few at all; then their numbers, with gaps, do not count them.
  const auto whole = std::ranges::count_if(collectives_, [&](const auto& each) {
    return static_cast<int64_t>(each.second.size()) >= ranks_;
  });
  if (static_cast<size_t>(whole) * 2 >= collectives_.size()) return {};
  const std::map<int64_t, std::vector<double>> ranks = differences();
  if (static_cast<int64_t>(ranks.size()) < ranks_) return {};
  std::vector<double> all;
  std::map<std::string, std::vector<double>> hosts;
  for (const auto& [rank, values] : ranks) {
    if (values.size() < fewest_samples) return {};
    std::vector<double>& host = hosts[nodes[static_cast<size_t>(rank)]];
    host.insert(host.end(), values.begin(), values.end());
    all.insert(all.end(), values.begin(), values.end());
  }
  if (hosts.size() < 2) return {};
  std::ranges::sort(all);
  for (auto& [host, values] : hosts) std::ranges::sort(values);
  ByHost late;
  for (const auto& [rank, values] : ranks) {
    const std::string& name = nodes[static_cast<size_t>(rank)];
    const std::vector<double>& host = hosts[name];
    double& share = late[name].share;
    double longer = 0;
    for (const double value : values)
      longer += count_greater(all, value) - count_greater(host, value);
    const auto pairs = static_cast<double>(values.size() * (all.size() - host.size()));
    if (longer < nearly_all * pairs) continue;
    std::vector<double> others;
    std::ranges::set_difference(all, host, std::back_inserter(others));
    share = std::max(share, (median(std::move(others)) - median(values)) * count() / seconds /
                                microseconds_per_second);
  }
  return late;
}

}  // namespace slipway::job
