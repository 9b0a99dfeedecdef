// Compresses node names into a Slurm host list, and expands one.
#include "common/host_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "common/text.h"

namespace slipway {
namespace {

constexpr size_t most_digits = 9;

// Zero-padded numbers of the same width belong together: 001 and 1 are two names.
struct Family {
  std::string prefix;
  size_t zero_padded_to = 0;  // 0: no padding
  auto operator<=>(const Family&) const = default;
};

// "n[1-2]a,b" is "n[1-2]a" and "b"; nothing if the brackets do not match.
std::optional<std::vector<std::string>> outside_brackets(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += (c == '[') - (c == ']');
    if (depth < 0 || depth > 1) return std::nullopt;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (depth != 0) return std::nullopt;
  return parts;
}

// The numbers of "003-005,9", as long as they are written. False if it is something else.
bool add_numbers(std::string_view ranges, size_t most, std::vector<std::string>& to) {
  for (const std::string& range : split(std::string(ranges), ',')) {
    const size_t dash = std::min(range.find('-'), range.size());
    const std::string first = range.substr(0, dash);
    const auto begin = to_number<size_t>(first);
    const auto end = dash == range.size() ? begin : to_number<size_t>(range.substr(dash + 1));
    if (!begin || !end || *end < *begin || *end - *begin >= most) return false;
    for (size_t number = *begin; number <= *end; ++number)
      to.push_back(fmt::format("{:0{}}", number, first.size()));
  }
  return to.size() <= most;
}

// The hosts of "r[1-2]n[4,6]".
bool add_hosts(std::string_view part, size_t most, std::vector<std::string>& to) {
  std::vector<std::string> found = {""};
  while (!part.empty()) {
    const size_t open = std::min(part.find('['), part.size());
    for (std::string& host : found) host += part.substr(0, open);
    part.remove_prefix(open);
    if (part.empty()) break;
    const size_t close = part.find(']');
    std::vector<std::string> numbers, longer;
    if (!add_numbers(part.substr(1, close - 1), most, numbers)) return false;
    if (found.size() * numbers.size() > most) return false;
    for (const std::string& host : found) {
      for (const std::string& number : numbers) longer.push_back(host + number);
    }
    found = std::move(longer);
    part.remove_prefix(close + 1);
  }
  to.insert(to.end(), found.begin(), found.end());
  return to.size() <= most;
}

}  // namespace

std::string host_list(const std::vector<std::string>& names) {
  std::map<Family, std::set<int>> families;
  std::set<std::string> single;
  for (const std::string& name : names) {
    const size_t end = name.find_last_not_of("0123456789");
    const std::string digits = name.substr(end == name.npos ? 0 : end + 1);
    if (digits.empty() || digits.size() > most_digits) {
      single.insert(name);
      continue;
    }
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool padded = digits.size() > 1 && digits[0] == '0';
    families[{name.substr(0, name.size() - digits.size()), padded ? digits.size() : 0}].insert(
        number);
  }
  std::vector<std::string> parts;
  for (const auto& [family, numbers] : families) {
    std::vector<std::string> ranges;
    for (auto first = numbers.begin(); first != numbers.end();) {
      auto last = first;
      while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
      const auto shown = [digits = family.zero_padded_to](int number) {
        return fmt::format("{:0{}}", number, digits);
      };
      ranges.push_back(first == last ? shown(*first) : shown(*first) + "-" + shown(*last));
      first = std::next(last);
    }
    const std::string all = join(ranges, ",");
    parts.push_back(numbers.size() == 1 ? family.prefix + all
                                        : fmt::format("{}[{}]", family.prefix, all));
  }
  parts.insert(parts.end(), single.begin(), single.end());
  return join(parts, ",");
}

std::vector<std::string> expand_host_list(std::string_view host_list, size_t most) {
  const auto parts = outside_brackets(host_list);
  if (!parts) return {};
  std::vector<std::string> hosts;
  for (const std::string& part : *parts) {
    if (part.empty() || !add_hosts(part, most, hosts)) return {};
  }
  return hosts;
}

std::string names_of_nodes(const std::vector<std::string>& names) {
  return names.size() > most_single_names ? host_list(names) : join(names, ", ");
}

}  // namespace slipway
