// What the words of a shell script mean, as far as that is known before it runs.
#include "launcher/job_script/shell_value.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "common/text.h"
#include "launcher/job_script/shell_words.h"

namespace slipway::job_script {
namespace {

using State = ShellVariables::State;

constexpr int deepest_expansion = 50;

// Set in every login or by bash itself, so that `${NAME:-…}` says nothing about them.
bool is_of_login(std::string_view name) {
  static constexpr std::array<std::string_view, 14> names = {
      "HOME",   "PWD", "USER",   "LOGNAME", "HOSTNAME",    "PATH",  "TMPDIR",
      "OLDPWD", "UID", "RANDOM", "SECONDS", "BASH_SOURCE", "SHELL", "LD_LIBRARY_PATH"};
  return name.starts_with("SLURM") || std::ranges::find(names, name) != names.end();
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "$@" or "${LIST[@]}", which vanishes if the list is empty.
bool is_list_alone(std::string_view quoted) {
  return quoted == "\"$@\"" || (quoted.starts_with("\"${") && quoted.ends_with("[@]}\"") &&
                                std::ranges::count(quoted, '$') == 1);
}

class Expander {
 public:
  Expander(std::string_view text, ShellVariables& variables, bool one)
      : text_(text), variables_(variables), one_(one) {}

  void run(Range range, bool quoted) {
    if (++depth_ > deepest_expansion) return unknown(range, "$(…)");
    for (size_t at = range.begin; at < range.end;) at = step(range, at, quoted);
    --depth_;
  }

  std::vector<ShellValue> finish() {
    end_word();
    return std::move(words_);
  }

 private:
  size_t step(Range range, size_t at, bool quoted) {
    const char c = text_[at];
    if (c == '\\' && at + 1 < range.end) return escape(at, quoted);
    if (c == '\'' && !quoted) {
      const size_t end = std::min(end_of_quotes(text_, at), range.end);
      add(text_.substr(at + 1, end - at - 2));
      return end;
    }
    if (c == '"' && !quoted) {
      const size_t end = std::min(end_of_quotes(text_, at), range.end);
      has_word_ = has_word_ || !is_list_alone(text_.substr(at, end - at));
      run({at + 1, end - 1}, true);
      return end;
    }
    if (c == '$' && at + 1 < range.end && text_[at + 1] == '\'' && !quoted) {
      const size_t end = std::min(end_of_word(text_, at), range.end);
      unknown({at, end}, "$'…'");
      return end;
    }
    if (c == '$' || c == '`') {
      const size_t end = std::min(end_of_expansion(text_, at), range.end);
      expansion({at, end}, quoted);
      return end;
    }
    if (!quoted && !one_ && depth_ > 1 && (c == ' ' || c == '\t' || c == '\n')) {
      end_word();  // in ${NAME:-two words}
      return at + 1;
    }
    if (c == '~' && !quoted && !has_word_ && at == range.begin) {
      unknown({at, at + 1}, "HOME");
    } else {
      add(text_.substr(at, 1));
    }
    return at + 1;
  }

  size_t escape(size_t at, bool quoted) {
    const char next = text_[at + 1];
    if (next == '\n') return at + 2;
    if (quoted && std::string_view("$`\"\\").find(next) == std::string_view::npos) {
      add("\\");
      return at + 1;
    }
    add(text_.substr(at + 1, 1));
    return at + 2;
  }

  void expansion(Range range, bool quoted) {
    const std::string_view spelled = range.of(text_);
    if (spelled.size() < 2) return add(spelled);
    if (spelled[0] == '`' || spelled[1] == '(') return unknown(range, "$(…)");
    const bool braces = spelled[1] == '{';
    Range inner = {range.begin + (braces ? 2 : 1), range.end - (braces ? 1 : 0)};
    size_t end = inner.begin;
    while (end < inner.end && is_in_name(text_[end])) ++end;
    if (end == inner.begin && end < inner.end) ++end;  // $@, $#
    const std::string name(text_.substr(inner.begin, end - inner.begin));
    if (braces && name == "#" && end < inner.end) return unknown(range, "$(…)");  // a length
    if (braces && name == "!") return unknown(range, "$(…)");
    const std::string_view rest = text_.substr(end, inner.end - end);
    bool is_list = name == "@" || name == "*";
    if (rest.starts_with("[@]") || rest.starts_with("[*]")) {
      is_list = true;
      end += 3;
    }
    apply(range, name, {end, inner.end}, is_list, quoted);
  }

  State find(const std::string& name, std::vector<ShellValue>& items) const {
    const auto& positional = variables_.positional;
    if (name == "@" || name == "*") {
      items = positional;
      return State::known;
    }
    if (name == "#") {
      items = {{std::to_string(positional.size()), {}}};
      return State::known;
    }
    if (const auto number = to_number<size_t>(name)) {
      if (*number == 0) return State::unknown;
      if (*number > positional.size()) return State::unset;
      items = {positional[*number - 1]};
      return State::known;
    }
    if (name.empty() || !is_in_name(name[0])) return State::unknown;
    return variables_.find(name, items);
  }

  // `rest`: what follows the name in braces, such as `:-default`.
  void apply(Range range, const std::string& name, Range rest, bool is_list, bool quoted) {
    std::vector<ShellValue> items;
    const State state = find(name, items);
    std::string_view how = rest.of(text_);
    const bool colon = how.starts_with(':');
    if (colon) ++rest.begin;
    how = rest.of(text_);
    const char operation = how.empty() ? '\0' : how[0];
    const Range word = {rest.begin + 1, rest.end};
    const bool is_empty =
        state == State::unset || (state == State::known && colon && is_nothing(items));
    const bool is_doubtful =
        colon && items.size() == 1 && items[0].text.empty() && !items[0].is_known();
    if (operation == '\0' && !colon) {
      if (state == State::known) return add_items(items, is_list, quoted);
      if (state == State::unset && is_list) return;
      return unknown(range, name);
    }
    if (state == State::unknown || is_doubtful) return unknown(range, name);
    switch (operation) {
      case '-':
      case '=':
        if (!is_empty) return add_items(items, is_list, quoted);
        if (state == State::unset) note(name, word, range);
        return run(word, quoted);
      case '+':
        if (is_empty && state == State::unset) note(name, {word.begin, word.begin}, range);
        if (!is_empty) run(word, quoted);
        return;
      case '?':
        if (!is_empty) return add_items(items, is_list, quoted);
        return unknown(range, name);
      default:
        return unknown(range, name);
    }
  }

  static bool is_nothing(const std::vector<ShellValue>& items) {
    return std::ranges::all_of(items,
                               [](const ShellValue& v) { return v.text.empty() && v.is_known(); });
  }

  void note(const std::string& name, Range word, Range place) {
    auto& known = variables_.parameters;
    if (to_number<size_t>(name) ||
        std::ranges::find(known, name, &ShellParameter::name) != known.end())
      return;
    known.push_back({name, {}, variables_.base + place.begin});
    const size_t mine = known.size() - 1;
    ShellValue otherwise = expand_to_one(text_, word, variables_);
    variables_.parameters[mine].otherwise = std::move(otherwise);
  }

  void add_items(const std::vector<ShellValue>& items, bool is_list, bool quoted) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0 && is_list) end_word();
      if (i > 0 && !is_list) break;  // $LIST is its first item
      if (quoted || one_) has_word_ = true;
      add_value(items[i], quoted);
    }
  }

  void add_value(const ShellValue& value, bool quoted) {
    for (const std::string& name : value.unknown) add_unknown(name);
    if (quoted || one_ || !value.is_known()) {
      if (!value.text.empty()) add(value.text);
      return;
    }
    for (size_t i = 0; i < value.text.size(); ++i) {
      const char c = value.text[i];
      if (c == ' ' || c == '\t' || c == '\n')
        end_word();
      else
        add(std::string_view(value.text).substr(i, 1));
    }
  }

  void unknown(Range range, const std::string& name) {
    add(range.of(text_));
    add_unknown(name);
  }

  void add_unknown(const std::string& name) {
    has_word_ = true;
    if (std::ranges::find(word_.unknown, name) == word_.unknown.end())
      word_.unknown.push_back(name);
  }

  void add(std::string_view text) {
    has_word_ = true;
    word_.text += text;
  }

  void end_word() {
    if (has_word_) words_.push_back(std::exchange(word_, {}));
    has_word_ = false;
  }

  std::string_view text_;
  ShellVariables& variables_;
  bool one_;  // there is no splitting
  ShellValue word_;
  bool has_word_ = false;
  std::vector<ShellValue> words_;
  int depth_ = 0;
};

}  // namespace

ShellVariables::ShellVariables(std::map<std::string, std::string> environment) {
  for (auto& [name, value] : environment) variables_[name] = {{{std::move(value), {}}}};
}

void ShellVariables::set(const std::string& name, std::vector<ShellValue> items, bool append) {
  constexpr size_t longest = 1 << 16;  // bytes; a script can double a text in each line
  Variable& variable = variables_[name];
  if (!append || variable.items.empty()) {
    variable = {std::move(items)};
  } else {
    for (ShellValue& item : items) variable.items.push_back(std::move(item));
    variable.state = State::known;
  }
  size_t size = 0;
  for (const ShellValue& item : variable.items) size += item.text.size() + 1;
  if (size > longest) forget(name);
}

void ShellVariables::forget(const std::string& name) {
  variables_[name] = {{}, State::unknown};
}

void ShellVariables::unset(const std::string& name) {
  variables_[name] = {{}, State::unset};
}

ShellVariables::State ShellVariables::find(const std::string& name,
                                           std::vector<ShellValue>& items) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return is_of_login(name) ? State::unknown : State::unset;
  items = found->second.items;
  return found->second.state;
}

std::vector<ShellValue> expand(std::string_view text, Range word, ShellVariables& variables) {
  Expander expander(text, variables, false);
  expander.run(word, false);
  return expander.finish();
}

ShellValue expand_to_one(std::string_view text, Range word, ShellVariables& variables) {
  Expander expander(text, variables, true);
  expander.run(word, false);
  const std::vector<ShellValue> words = expander.finish();
  ShellValue value;
  for (const ShellValue& one : words) {
    value.text += (value.text.empty() ? "" : " ") + one.text;
    value.unknown.insert(value.unknown.end(), one.unknown.begin(), one.unknown.end());
  }
  return value;
}

}  // namespace slipway::job_script
