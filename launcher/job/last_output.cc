// Finds the lines of a task's output that explain how it ended.
#include "launcher/job/last_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/text.h"

namespace slipway::job {
namespace {

constexpr size_t shortest_rule = 10;
constexpr size_t longest_traceback_line = 1000;
constexpr size_t most_out = 2048, most_err = 6144;
constexpr std::string_view traceback_begin = "Traceback (most recent call last):";
// From torch/distributed/elastic/multiprocessing/errors/__init__.py.
constexpr std::string_view root_cause = "Root Cause (first observed failure):";

bool is_rule(std::string_view line, char of) {
  return line.size() >= shortest_rule && line.find_first_not_of(of) == line.npos;
}

// Removes terminal sequences: ESC [ … letter.
std::string without_colors(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      i = line.find_first_not_of("0123456789;?", i + 2);
      if (i == line.npos) break;
    } else {
      text += line[i];
    }
  }
  return text;
}

size_t digits_from(std::string_view line, size_t at) {
  const size_t end = line.find_first_not_of("0123456789", at);
  return (end == line.npos ? line.size() : end) - at;
}

// Removes "[rank3]: " of torch, " 3: " of `srun --label`, "[1,3]<stderr>:" of `mpirun
// --tag-output`, and "[default3]:" of `torchrun --tee`.
std::string_view without_prefix(std::string_view line) {
  for (bool again = true; again;) {
    again = false;
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t digits = digits_from(line, begin);
    if (digits > 0 && line.substr(begin + digits).starts_with(": ")) {
      line.remove_prefix(begin + digits + 2);
      again = true;
    }
    if (!line.starts_with('[')) continue;
    const size_t end = line.find(']');
    if (end == line.npos) continue;
    const std::string_view inside = line.substr(1, end - 1), rest = line.substr(end + 1);
    const size_t name = inside.find_first_of("0123456789");
    const bool torch = name != inside.npos && name > 0 &&
                       digits_from(inside, name) + name == inside.size() && rest.starts_with(':') &&
                       std::all_of(inside.begin(), inside.begin() + static_cast<long>(name),
                                   [](unsigned char c) { return std::isalpha(c) != 0; });
    if (torch) {
      line = rest.substr(rest.starts_with(": ") ? 2 : 1);
      again = true;
    } else if (rest.starts_with("<stderr>:") || rest.starts_with("<stdout>:")) {
      line = rest.substr(9);
      again = true;
    }
  }
  return line;
}

// "torch.cuda.OutOfMemoryError: …", "KeyError: 'x'", "AssertionError"
bool is_exception(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const bool plain = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
  constexpr std::array ends = {"Error", "Exception", "Interrupt", "Expired", "Exit"};
  return plain && std::ranges::any_of(ends, [&](const char* end) { return name.ends_with(end); });
}

struct RawLine {
  std::string text;  // without prefixes and colors
  size_t indent = 0;
};

RawLine raw_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line.remove_prefix(line.rfind('\r') + 1);  // the last state of a progress bar
  const std::string colorless = without_colors(line);
  const std::string_view bare = without_prefix(colorless);
  const size_t indent = std::min(bare.find_first_not_of(" \t"), bare.size());
  return {std::string(trim(bare)), bare.substr(0, indent).find('\t') != bare.npos ? 8 : indent};
}

bool is_frame(const RawLine& line) {
  return line.indent >= 4 || line.text.starts_with("frame #") ||
         (line.indent >= 2 && line.text.starts_with("File \""));
}

template <class Each>
void for_each_line(std::string_view words, Each each) {
  while (!words.empty()) {
    const size_t end = std::min(words.find('\n'), words.size());
    each(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

// The value in a line of torchrun's box: "rank      : 11 (local_rank: 3)".
std::string_view field(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return {};
  line = trim(line.substr(name.size()));
  return line.starts_with(':') ? trim(line.substr(1)) : std::string_view();
}

class Reader {
 public:
  void put_output(const RawLine& line) {
    if (!line.text.empty() && !is_frame(line))
      lines_.push_back({.text = line.text, .output = true});
  }

  void put(const RawLine& line) {
    if (is_rule(line.text, '=')) {
      in_torch_ = !in_torch_;
      in_root_ = in_traceback_ = false;
    } else if (in_torch_) {
      put_torch(line);
    } else if (is_rule(line.text, '-')) {
      box_ = {box_.second, lines_.size()};
      after_rule_ = true;
    } else if (line.text == traceback_begin) {
      in_traceback_ = true;
    } else if (in_traceback_ ? line.indent == 0 && !line.text.empty() : !line.text.empty()) {
      put_words(line);
      after_rule_ = false;
    }
  }

  // A line of dashes at the end closes a box that an MPI library printed, whose first line says
  // what happened. The box's upper border may have been cut off.
  std::vector<WordLine> rest() {
    const auto [begin, end] = box_;
    if (after_rule_ && begin < end) {
      lines_[begin].error = true;
      lines_.erase(lines_.begin() + static_cast<long>(begin) + 1, lines_.end());
    }
    return std::move(lines_);
  }

 private:
  // torchrun's box: `name FAILED`, then sections between lines of dashes, one per failed worker.
  void put_torch(const RawLine& line) {
    if (line.text == root_cause) in_root_ = true;
    if (!in_root_) return;
    if (const auto code = field(line.text, "exitcode"); !code.empty()) {
      code_ = code.substr(0, code.find(' '));
    }
    const std::string_view said = field(line.text, "traceback");
    if (said == traceback_begin) {
      in_traceback_ = true;
    } else if (said.starts_with("To enable traceback")) {
      // The box has no error; the worker's own output is above it.
      if (code_ != "1") add(fmt::format("a worker exited with status {}", code_), true, true);
    } else if (!said.empty()) {
      add(std::string(said), true);
    } else if (in_traceback_ && line.indent <= 2 && is_exception(line.text)) {
      add(line.text, true);
      in_traceback_ = false;
    }
  }

  void put_words(const RawLine& line) {
    constexpr std::string_view what = "what():";
    if (line.text.starts_with(what))
      return add(std::string(trim(std::string_view(line.text).substr(what.size()))), true);
    if (!in_traceback_ && is_frame(line)) return;
    add(line.text, in_traceback_ || is_exception(line.text));
    in_traceback_ = false;
  }

  void add(std::string text, bool error, bool exact = false) {
    lines_.push_back({.text = std::move(text), .error = error, .exact = exact});
  }

  std::vector<WordLine> lines_;
  std::string code_;
  std::pair<size_t, size_t> box_ = {0, 0};  // lines between the last two rules
  bool in_torch_ = false, in_root_ = false, in_traceback_ = false, after_rule_ = false;
};

// The last `most` bytes as whole lines, each prefixed with `mark`, without stack frames.
std::string last_lines(std::string_view words, size_t most, std::string_view mark) {
  std::string text;
  for_each_line(words, [&](std::string_view line) {
    const RawLine raw = raw_line(line);
    if (raw.text.empty() || (is_frame(raw) && !raw.text.starts_with("what():"))) return;
    text += fmt::format("{}{:{}}{}\n", mark, "", raw.indent,
                        raw.text.substr(0, longest_traceback_line));
  });
  if (text.size() <= most) return text;
  return text.substr(text.find('\n', text.size() - most) + 1);
}

}  // namespace

std::vector<WordLine> lines_of(std::string_view words) {
  Reader reader;
  for_each_line(words, [&](std::string_view line) {
    if (line.starts_with(stdout_mark)) return reader.put_output(raw_line(line.substr(1)));
    reader.put(raw_line(line));
  });
  return reader.rest();
}

std::string condense(std::string_view out, std::string_view err, std::string_view error_file) {
  return last_lines(out, most_out, std::string_view(&stdout_mark, 1)) +
         last_lines(err, most_err, "") + torch_error(error_file);
}

std::string torch_error(std::string_view file) {
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("message")) return {};
  const auto& message = json["message"];
  std::string text;
  if (message.is_string()) text = message.get<std::string>();
  if (message.is_object() && message.contains("message") && message["message"].is_string()) {
    text = message["message"].get<std::string>();
  }
  if (text.empty()) return {};
  return fmt::format("{}\n{}\n", traceback_begin, text);
}

std::optional<int64_t> torch_local_rank(std::string_view words) {
  size_t at = words.rfind(root_cause);
  constexpr std::string_view name = "local_rank: ";
  if (at == words.npos || (at = words.find(name, at)) == words.npos) return std::nullopt;
  int64_t rank = 0;
  const char* begin = words.data() + at + name.size();
  if (std::from_chars(begin, words.data() + words.size(), rank).ec != std::errc()) {
    return std::nullopt;
  }
  return rank;
}

}  // namespace slipway::job
