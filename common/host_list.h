// Compresses node names into a Slurm host list, and expands one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// {"a-0", "a-2", "a-1", "b"} becomes "a-[0-2],b": names that differ only in their last number are
// joined. Sorted by prefix, then by number.
std::string host_list(const std::vector<std::string>& names);

// The same for names in another container, such as a set.
template <class Names>
std::string host_list(const Names& names) {
  return host_list(std::vector<std::string>(names.begin(), names.end()));
}

// "a-[3-5],b" is a-3, a-4, a-5, b. Empty if it is not a host list, or has more than `most` hosts.
std::vector<std::string> expand_host_list(std::string_view list, size_t most);

// More names than these are shown as a host list, in sentences and in tables.
constexpr size_t most_single_names = 8;

// For a sentence: "a-0, a-2", and more than most_single_names as a host list.
std::string names_of_nodes(const std::vector<std::string>& names);

}  // namespace slipway
