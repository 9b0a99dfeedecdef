// Reads the plain exports of a shell script.
#include "spank-plugins/nccl_env/vendor_profile.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::nccl_env {
namespace {

constexpr size_t most_bytes = 64 << 10;

bool is_name_start(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool is_name_char(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

// Removes and returns the name at the start of `text`.
std::string take_name(std::string_view& text) {
  size_t size = 0;
  if (!text.empty() && is_name_start(text[0])) {
    while (size < text.size() && is_name_char(text[size])) ++size;
  }
  std::string name(text.substr(0, size));
  text.remove_prefix(size);
  return name;
}

// Reads one word like a shell, if that does not need a real shell.
class WordReader {
 public:
  WordReader(std::string_view text, const std::map<std::string, std::string>& known)
      : text_(text), known_(known) {}

  // Empty if it is not plain, or something follows on its line.
  std::optional<std::string> read() {
    while (!text_.empty()) {
      const char c = take();
      if (c == '\'') {
        if (!read_single_quoted()) return std::nullopt;
      } else if (c == '"') {
        if (!read_double_quoted()) return std::nullopt;
      } else if (c == '$') {
        if (!read_variable()) return std::nullopt;
      } else if (c == ' ' || c == '\t') {
        return is_end_of_line() ? std::optional(word_) : std::nullopt;
      } else if (std::string_view("`\\;&|<>(){}*?[]~!#").find(c) != std::string_view::npos) {
        return std::nullopt;
      } else {
        word_ += c;
      }
    }
    return word_;
  }

 private:
  char take() {
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }

  bool read_single_quoted() {
    const size_t end = text_.find('\'');
    if (end == text_.npos) return false;
    word_ += text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }

  bool read_double_quoted() {
    while (!text_.empty()) {
      const char c = take();
      if (c == '"') return true;
      if (c == '`' || c == '\\') return false;
      if (c != '$') {
        word_ += c;
      } else if (!read_variable()) {
        return false;
      }
    }
    return false;
  }

  bool read_variable() {
    const bool braces = text_.starts_with('{');
    if (braces) text_.remove_prefix(1);
    const auto variable = known_.find(take_name(text_));
    if (variable == known_.end()) return false;
    if (braces) {
      if (!text_.starts_with('}')) return false;
      text_.remove_prefix(1);
    }
    word_ += variable->second;
    return true;
  }

  bool is_end_of_line() const {
    const std::string_view rest = trim(text_);
    return rest.empty() || rest.starts_with('#');
  }

  std::string_view text_;
  const std::map<std::string, std::string>& known_;
  std::string word_;
};

class Script {
 public:
  explicit Script(const std::map<std::string, std::string>& inputs) : known_(inputs) {}

  void read(std::string_view text) {
    int number = 0;
    for (const std::string& raw : split(text, '\n')) {
      ++number;
      const std::string_view line = trim(raw);
      // The previous line was continued: this one is part of it.
      const bool continued = continues_;
      continues_ = line.ends_with('\\');
      if (line.empty() || line.starts_with('#')) continue;
      const bool outside = open_.empty() && !ended_;
      follow_blocks(line);
      const bool certain = outside && open_.empty() && !ended_ && !continued && !continues_;
      if (!read_line(line, certain)) found_.skipped.push_back(number);
    }
  }

  VendorVariables take() { return std::move(found_); }

 private:
  // False if the line may set an NCCL variable to a value that cannot be determined here.
  bool read_line(std::string_view line, bool certain) {
    constexpr std::string_view keyword = "export";
    std::string_view rest = line;
    if (rest.starts_with(keyword) && rest.size() > keyword.size() &&
        (rest[keyword.size()] == ' ' || rest[keyword.size()] == '\t')) {
      rest = trim(rest.substr(keyword.size()));
      const std::string name = take_name(rest);
      if (name.starts_with("NCCL_") && rest.starts_with('=')) {
        const auto value = WordReader(rest.substr(1), known_).read();
        if (certain && value) {
          take_variable(name, *value);
          return true;
        }
        forget(name);
        return false;
      }
    }
    const std::set<std::string> touched = touched_by(line);
    for (const std::string& name : touched) forget(name);
    return touched.empty() && !reads_another(line);
  }

  // NCCL variables that a line may change in other ways: `NCCL_A=1`, `${NCCL_A:=1}`, `unset
  // NCCL_A`.
  static std::set<std::string> touched_by(std::string_view line) {
    static const std::set<std::string, std::less<>> commands = {
        "declare", "local", "printf", "read", "readonly", "typeset", "unset"};
    const bool all = commands.contains(line.substr(0, line.find(' ')));
    std::set<std::string> names;
    for (size_t at = line.find("NCCL_"); at != line.npos; at = line.find("NCCL_", at + 1)) {
      std::string_view rest = line.substr(at);
      const std::string name = take_name(rest);
      if (rest.starts_with(':') || rest.starts_with('+')) rest.remove_prefix(1);
      if (all || rest.starts_with('=')) names.insert(name);
    }
    return names;
  }

  static bool reads_another(std::string_view line) {
    return line.starts_with("source ") || line.starts_with(". ") || line.starts_with("eval ");
  }

  // The last assignment wins, as in a shell.
  void take_variable(const std::string& name, const std::string& value) {
    forget(name);
    known_[name] = value;
    found_.variables.emplace_back(name, value);
  }

  void forget(const std::string& name) {
    known_.erase(name);
    std::erase_if(found_.variables, [&](const auto& variable) { return variable.first == name; });
  }

  // Tracks the start and end of blocks, whose code may not run. If a line is misread, fewer
  // variables are taken, never more.
  void follow_blocks(std::string_view line) {
    static const std::map<std::string, std::string, std::less<>> closers = {
        {"if", "fi"},      {"case", "esac"}, {"for", "done"}, {"while", "done"},
        {"until", "done"}, {"{", "}"},       {"(", ")"}};
    static const std::set<std::string, std::less<>> before_commands = {
        ";", "&&", "||", "|", "!", "then", "do", "else", "elif", "if", "while", "until", "{", "("};
    bool is_command = true;
    const std::vector<std::string> words = shell_words(line);
    for (const std::string& word : words) {
      const bool opens_function = word == "{" && &word == &words.back();
      if (is_command && !open_.empty() && word == open_.back()) {
        open_.pop_back();
      } else if (is_command || opens_function) {
        const auto closer = closers.find(word);
        if (closer != closers.end()) open_.push_back(closer->second);
        if (open_.empty() && (word == "exit" || word == "return")) ended_ = true;
      }
      is_command = before_commands.contains(word);
    }
    if (line.find("<<") != line.npos) ended_ = true;  // what follows is text, with an unknown end
  }

  static std::vector<std::string> shell_words(std::string_view line) {
    std::string spaced;
    for (const char c : line) {
      const bool alone = c == ';' || c == '(' || c == ')';
      if (alone) spaced += ' ';
      spaced += c;
      if (alone) spaced += ' ';
    }
    std::vector<std::string> words = split(spaced, ' ');
    std::erase(words, "");
    return words;
  }

  std::map<std::string, std::string> known_;
  VendorVariables found_;
  std::vector<std::string> open_;  // the closing word of each open block
  bool continues_ = false;
  bool ended_ = false;
};

}  // namespace

void require_of_root(const std::filesystem::path& path) {
  struct stat info = {};
  for (const std::filesystem::path& part : {path, path.parent_path()}) {
    if (::stat(part.c_str(), &info) != 0) throw_errno(fmt::format("cannot read {}", part.string()));
    if (info.st_uid != 0 || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      throw Error(fmt::format("users besides root can write {}", part.string()));
    }
  }
}

VendorVariables parse_vendor_profile(std::string_view text,
                                     const std::map<std::string, std::string>& inputs) {
  Script script(inputs);
  script.read(text);
  return script.take();
}

std::string read_vendor_profile(const std::filesystem::path& path) {
  if (::geteuid() == 0) require_of_root(path);
  return read_regular_file(path, most_bytes);
}

}  // namespace slipway::nccl_env
