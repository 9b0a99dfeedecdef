// One line of a Slurm configuration file.
#include "launcher/cluster/slurm_line.h"

#include <fmt/core.h>
#include <strings.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace slipway::cluster {
namespace {

bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool is_word(std::string_view key) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !key.empty() && key.find_first_not_of(letters) == key.npos;
}

// A line feed would start a new line, a backslash join the next line, a quote end the value, and #
// end the line.
bool fits_a_line(char c) {
  return static_cast<unsigned char>(c) >= ' ' && c != '\x7f' &&
         std::string_view("\\\"#").find(c) == std::string_view::npos;
}

// Shows control characters as \x1b, so that a terminal does not interpret them.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < ' ' || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string override_problem(std::string_view key, std::string_view value,
                             const std::vector<std::string>& fixed) {
  if (!is_word(key)) return fmt::format("`{}` is not a key of slurm.conf", shown(key));
  for (const std::string& name : fixed) {
    if (same_key(key, name)) return fmt::format("`{}` cannot be set here", key);
  }
  if (std::ranges::all_of(value, fits_a_line)) return {};
  return fmt::format("`{}` has a value that slurm.conf cannot hold: `{}`", key, shown(value));
}

int64_t whole_number(std::string_view key, std::string_view text) {
  const int64_t number = to_number<int64_t>(text).value_or(-1);
  if (number < 0) {
    throw Error(fmt::format("`{}` is `{}`, expected a whole number", key, text));
  }
  return number;
}

std::vector<SlurmLine::Pair>::iterator SlurmLine::find(std::string_view key) {
  return std::ranges::find_if(pairs_, [&](const Pair& pair) { return same_key(pair.first, key); });
}

void SlurmLine::set(std::string_view key, std::string value) {
  if (const auto found = find(key); found != pairs_.end()) {
    found->second = std::move(value);
  } else {
    pairs_.emplace_back(key, std::move(value));
  }
}

void SlurmLine::remove(std::string_view key) {
  if (const auto found = find(key); found != pairs_.end()) pairs_.erase(found);
}

bool SlurmLine::has(std::string_view key) const {
  return std::ranges::any_of(pairs_, [&](const Pair& pair) { return same_key(pair.first, key); });
}

std::string SlurmLine::get(std::string_view key) const {
  for (const auto& [name, value] : pairs_) {
    if (same_key(name, key)) return value;
  }
  return "";
}

int64_t SlurmLine::number(std::string_view key, int64_t otherwise) const {
  if (!has(key)) return otherwise;
  std::string text = get(key);
  const bool in_steps = text.ends_with('K') || text.ends_with('k');
  if (in_steps) text.pop_back();
  return whole_number(key, text) * (in_steps ? 1024 : 1);
}

void SlurmLine::override_with(const std::map<std::string, std::string>& overrides,
                              const std::vector<std::string>& fixed) {
  for (const auto& [key, value] : overrides) {
    const std::string problem = override_problem(key, value, fixed);
    if (!problem.empty()) throw Error(problem);
    if (value.empty()) {
      remove(key);
    } else {
      set(key, value);
    }
  }
}

std::string SlurmLine::text() const {
  std::string text;
  for (const auto& [key, value] : pairs_) {
    const std::string_view quote = value.find_first_of(" \t") == value.npos ? "" : "\"";
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}{}{}", key, quote, value, quote);
  }
  return text + "\n";
}

}  // namespace slipway::cluster
