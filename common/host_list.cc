// Compresses node names into a Slurm host list.
#include "common/host_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
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

std::string names_of_nodes(const std::vector<std::string>& names) {
  return names.size() > most_single_names ? host_list(names) : join(names, ", ");
}

}  // namespace slipway
