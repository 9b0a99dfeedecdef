// One line of a Slurm configuration file: keys and values, with a user's overrides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::cluster {

// `text` as a number from 0 up. Throws Error that names the key if it is not one.
int64_t whole_number(std::string_view key, std::string_view text);

// Why a user cannot set `key` to `value` on a line of slurm.conf, or "": the key is not a word or
// is in `fixed`, or the value would end, quote or continue the line.
std::string override_problem(std::string_view key, std::string_view value,
                             const std::vector<std::string>& fixed);

// Keys are case-insensitive, as in Slurm. They keep the order of set().
class SlurmLine {
 public:
  // Replaces the key's value in place, or adds the key at the end.
  void set(std::string_view key, std::string value);
  void remove(std::string_view key);

  bool has(std::string_view key) const;
  std::string get(std::string_view key) const;  // "" if the key is not set

  // The key's value by whole_number(), also as 64K; `otherwise` if it is not set.
  int64_t number(std::string_view key, int64_t otherwise) const;

  // Applies `overrides`: an empty value removes the key. Throws Error for an override that
  // override_problem() rejects.
  void override_with(const std::map<std::string, std::string>& overrides,
                     const std::vector<std::string>& fixed);

  // "NodeName=n-[0-3] CPUs=208\n"; values with white space are quoted.
  std::string text() const;

 private:
  using Pair = std::pair<std::string, std::string>;
  std::vector<Pair>::iterator find(std::string_view key);
  std::vector<Pair> pairs_;
};

}  // namespace slipway::cluster
