// One line of a Slurm configuration file: keys and values, a user's overrides laid over ours.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::cluster {

// `text` as a number from 0 up. Throws Error that names the key when it is none.
int64_t whole_number(std::string_view key, std::string_view text);

// Why a user cannot set `key` to `value` on a line of slurm.conf, or "": the key is no word or one
// of `fixed`, or the value would end, quote or continue the line.
std::string override_problem(std::string_view key, std::string_view value,
                             const std::vector<std::string>& fixed);

// Slurm's keys do not tell upper from lower case; neither does this. Order is that of set().
class SlurmLine {
 public:
  // Replaces the key's value, in its place, or adds the key at the end.
  void set(std::string_view key, std::string value);
  void remove(std::string_view key);

  bool has(std::string_view key) const;
  std::string get(std::string_view key) const;  // "" without the key

  // The key's value by whole_number(); `otherwise` without the key.
  int64_t number(std::string_view key, int64_t otherwise) const;

  // Lays `overrides` over the line: an empty value takes the key away. Throws Error on a key that
  // is no word, one of `fixed`, or a value that a line of slurm.conf cannot hold.
  void override_with(const std::map<std::string, std::string>& overrides,
                     const std::vector<std::string>& fixed);

  // "NodeName=n-[0-3] CPUs=208\n"; values with white space in quotes.
  std::string text() const;

 private:
  using Pair = std::pair<std::string, std::string>;
  std::vector<Pair>::iterator find(std::string_view key);
  std::vector<Pair> pairs_;
};

}  // namespace slipway::cluster
