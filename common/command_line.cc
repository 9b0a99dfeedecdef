// Parses command lines with Boost.Program_options, which no other file includes.
#include "common/command_line.h"

#include <algorithm>
#include <concepts>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <boost/program_options.hpp>

#include "common/completion.h"
#include "common/error.h"
#include "common/locale_text.h"
#include "common/text.h"

namespace slipway {
namespace {

namespace po = boost::program_options;
using Option = CommandDescription::Option;

// Where describe() waits for a description; null while programs run.
std::optional<CommandDescription>* wanted = nullptr;

// Has `wanted` point elsewhere for as long as it lives.
class Waiting {
 public:
  explicit Waiting(std::optional<CommandDescription>* where)
      : before_(std::exchange(wanted, where)) {}
  ~Waiting() { wanted = before_; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::optional<CommandDescription>* before_;
};

// "--output" or "-o" as the user typed it, for messages.
std::string value_of(const std::vector<Option>& options, const std::string& typed) {
  for (const Option& option : options) {
    if (typed == "--" + option.name || typed == std::string("-") + option.letter)
      return option.value;
  }
  return "a value";
}

std::string unknown_option(const std::string& typed, const std::vector<Option>& options) {
  std::vector<std::string> known;
  for (const Option& option : options) {
    if (!option.name.empty() && !option.hidden) known.push_back("--" + option.name);
  }
  const std::string guess = nearest(typed, known);
  return guess.empty() ? fmt::format("unknown option `{}`", typed)
                       : fmt::format("unknown option `{}`; did you mean `{}`?", typed, guess);
}

// What Boost found wrong, in our words and with a suggestion.
std::string explain(const po::error& error, const std::vector<Option>& options) {
  const auto* named = dynamic_cast<const po::error_with_option_name*>(&error);
  if (named == nullptr) return error.what();
  const std::string name = named->get_option_name();
  if (dynamic_cast<const po::unknown_option*>(&error) != nullptr) {
    return unknown_option(name, options);
  }
  if (dynamic_cast<const po::multiple_occurrences*>(&error) != nullptr) {
    return fmt::format("`{}` is given more than once", name);
  }
  const auto* syntax = dynamic_cast<const po::invalid_command_line_syntax*>(&error);
  if (syntax != nullptr && syntax->kind() == po::invalid_syntax::missing_parameter) {
    return fmt::format("`{}` needs a value: {}", name, value_of(options, name));
  }
  return error.what();
}

// The default that a target holds: nothing for what is empty.
std::string text_of(const std::string& value) {
  return value;
}
template <class T>
std::string text_of(const std::vector<T>&) {
  return "";
}
template <class T>
requires std::integral<T> || std::floating_point<T> std::string text_of(T value) {
  return fmt::format("{}", value);
}

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

// std::filesystem's own words name its function: "filesystem error: status: Permission denied
// [/x]".
std::string explain(const std::exception& error) {
  const auto* const files = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  if (files == nullptr || files->path1().empty()) return error.what();
  return fmt::format("cannot access {}: {}", files->path1().string(), files->code().message());
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string summary)
    : options_(std::make_unique<po::options_description>()) {
  description_.program = std::move(program);
  description_.summary = std::move(summary);
  description_.exit_statuses = {{"0", "done"},
                                {"1", "the input or the cluster is wrong; a message says how"},
                                {"2", "the command line is wrong"}};
  options_->add_options()("help,h", "print this help");
}

CommandLine::~CommandLine() = default;

void CommandLine::about(std::string text) {
  description_.about = std::move(text);
}

// Adds what people see of an option whose name is "output,o".
void CommandLine::declare(const std::string& name, Option option) {
  const size_t comma = name.find(',');
  option.name = name.substr(0, comma);
  option.letter = comma == name.npos ? '\0' : name.at(comma + 1);
  option.section = section_;
  description_.options.push_back(std::move(option));
}

void CommandLine::flag(const std::string& name, const std::string& help, bool* target) {
  options_->add_options()(name.c_str(), po::bool_switch(target), help.c_str());
  declare(name, {.help = help});
}

void CommandLine::json(const std::string& what, bool* target, const std::string& other) {
  const std::string help = what.empty() ? "print JSON" : fmt::format("print JSON ({})", what);
  flag("json", help, target);
  json_ = target;
  formats_ =
      other.empty() ? std::vector<std::string>{"json"} : std::vector<std::string>{other, "json"};
  format_ = other;
  option("format", join(formats_, "|"), "the same, as other programs spell it", &format_);
  hide();
}

template <class T>
void CommandLine::option(const std::string& name, const std::string& value_name,
                         const std::string& help, T* target, const std::string& unset) {
  options_->add_options()(name.c_str(), po::value<T>(target)->value_name(value_name), help.c_str());
  declare(name, {.value = value_name,
                 .help = help,
                 .standard = unset.empty() ? text_of(*target) : unset,
                 .repeated = is_list<T>,
                 .computed = !unset.empty()});
}

void CommandLine::section(std::string title) {
  section_ = title == "Options" ? "" : std::move(title);
}

void CommandLine::hide() {
  description_.options.back().hidden = true;
}

void CommandLine::positional(const std::string& name, std::string* target, Arity arity) {
  description_.words.push_back({name, arity == Arity::required});
  targets_.push_back(target);
}

void CommandLine::rest(const std::string& name, std::vector<std::string>* target, Arity arity) {
  description_.rest = name;
  description_.rest_required = arity == Arity::required;
  rest_ = target;
}

void CommandLine::rest_after_dashes(const std::string& name, std::vector<std::string>* target,
                                    Arity arity) {
  rest(name, target, arity);
  description_.rest_after_dashes = true;
}

void CommandLine::part(std::string name, std::string summary, bool needed) {
  description_.parts.push_back({std::move(name), std::move(summary)});
  description_.needs_part = needed;
}

void CommandLine::example(std::string command, std::string what) {
  description_.examples.push_back({std::move(command), std::move(what)});
}

void CommandLine::exit_status(const std::string& status, std::string meaning) {
  for (CommandDescription::Row& row : description_.exit_statuses) {
    if (row.name == status) {
      row.text = std::move(meaning);
      return;
    }
  }
  description_.exit_statuses.push_back({status, std::move(meaning)});
}

void CommandLine::environment(std::string variable, std::string meaning) {
  description_.environment.push_back({std::move(variable), std::move(meaning)});
}

void CommandLine::file(std::string path, std::string meaning) {
  description_.files.push_back({std::move(path), std::move(meaning)});
}

void CommandLine::see_also(std::string what) {
  description_.see_also.push_back(std::move(what));
}

// Handles --help=FORMAT, which Boost cannot parse. True if it printed something.
bool CommandLine::print_help(std::span<const std::string> own) const {
  for (const std::string& arg : own) {
    if (!arg.starts_with("--help=")) continue;
    const std::string format = arg.substr(7);
    if (format != "text" && format != "json") {
      throw UsageError(fmt::format("unknown format `{}`: --help takes `text` or `json`", format));
    }
    const std::string text =
        format == "json" ? to_json(description_) + "\n" : for_locale(help_text(description_));
    std::fputs(text.c_str(), stdout);
    return true;
  }
  return false;
}

// Answers completion. A program with verbs does that for all of them:
// launcher/commands/complete.cc.
bool CommandLine::print_completion(std::span<const std::string> args) const {
  const bool is_verb = description_.program.find(' ') != std::string::npos;
  if (is_verb || args.size() < 2 || args.front() != completion_word) return false;
  const auto before = args.subspan(1, args.size() - 2);
  const auto source = [](const std::string& name, const CompletionContext&) {
    return plain_candidates(name);
  };
  print_candidates(complete(description_, before, args.back(), source), args.back());
  return true;
}

// --help comes last among the options without a heading, or last of all.
void CommandLine::declare_help() {
  section_.clear();
  declare("help,h", {.help = "print this help"});
  auto& options = description_.options;
  const auto first = std::find_if(options.begin(), options.end(),
                                  [](const Option& option) { return !option.section.empty(); });
  if (first == options.begin() || first == options.end()) return;
  std::rotate(first, options.end() - 1, options.end());
}

bool CommandLine::parse(std::span<const std::string> args) {
  declare_help();
  if (wanted != nullptr) {
    *wanted = description_;
    return false;
  }
  if (print_completion(args)) return false;
  const size_t own = own_arguments(args);
  std::vector<std::string> before(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(own));
  if (print_help(before)) return false;
  args = args.subspan(own);
  if (!args.empty() && args.front() == "--") args = args.subspan(1);
  std::vector<std::string> after(args.begin(), args.end());

  std::vector<std::string> words;
  po::options_description all = *options_;
  all.add_options()("words", po::value(&words));
  po::positional_options_description order;
  order.add("words", -1);
  try {
    namespace style = po::command_line_style;
    po::command_line_parser parser(before);
    parser.options(all).positional(order).style(style::unix_style & ~style::allow_guessing);
    po::variables_map values;
    po::store(parser.run(), values);
    if (values.count("help") != 0) {
      std::fputs(for_locale(help_text(description_)).c_str(), stdout);
      return false;
    }
    po::notify(values);
  } catch (const po::error& error) {
    throw UsageError(explain(error, description_.options));
  }
  take_format();
  take_words(words, std::move(after));
  return true;
}

// How many of `args` are ours: up to `--` or, where a rest follows, up to its first word.
size_t CommandLine::own_arguments(std::span<const std::string> args) const {
  size_t words = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") return i;
    if (arg.size() > 1 && arg[0] == '-') {
      const bool is_long = arg[1] == '-';
      const size_t equals = arg.find('=');
      const std::string name = is_long ? arg.substr(2, equals - 2) : arg.substr(0, 2);
      const auto* option = options_->find_nothrow(name, false);
      const bool holds_value = is_long ? equals != arg.npos : arg.size() > 2;
      if (option != nullptr && option->semantic()->max_tokens() > 0 && !holds_value) ++i;
    } else if (words++ == targets_.size() && rest_ != nullptr) {
      return i;
    }
  }
  return args.size();
}

void CommandLine::take_format() {
  if (json_ == nullptr) return;
  if (!format_.empty() && std::ranges::find(formats_, format_) == formats_.end()) {
    throw UsageError(
        fmt::format("unknown format `{}`; it is `{}`", format_, slipway::join(formats_, "` or `")));
  }
  *json_ = *json_ || format_ == "json" || formats_.size() == 1;
}

void CommandLine::take_words(const std::vector<std::string>& words,
                             std::vector<std::string> after_dashes) {
  auto next = words.begin();
  for (size_t i = 0; i < targets_.size(); ++i) {
    const CommandDescription::Word& word = description_.words[i];
    if (next != words.end()) {
      if (next->empty()) throw UsageError(fmt::format("{} is empty", word.name));
      *targets_[i] = *next++;
    } else if (word.required) {
      throw UsageError(fmt::format("{} is missing", word.name));
    }
  }
  std::vector<std::string> left(next, words.end());
  left.insert(left.end(), std::make_move_iterator(after_dashes.begin()),
              std::make_move_iterator(after_dashes.end()));
  if (rest_ != nullptr) {
    if (left.empty() && description_.rest_required) {
      const std::string& name = description_.rest;
      throw UsageError(fmt::format("{} is missing", name.substr(0, name.find(' '))));
    }
    *rest_ = std::move(left);
  } else if (!left.empty()) {
    throw UsageError(fmt::format("unexpected word `{}`", left.front()));
  }
}

CommandDescription describe(const std::function<void()>& body) {
  std::optional<CommandDescription> found;
  const Waiting waiting(&found);
  body();
  if (!found) throw Error("the command has no description");
  return *std::move(found);
}

int run_main(const std::string& program, const std::function<int()>& body) {
  limit_stderr_to_locale();
  try {
    return body();
  } catch (const UsageError& error) {
    fmt::print(stderr, "{}: {}\nTry `{} --help`.\n", program, error.what(), program);
    return 2;
  } catch (const ReportedError&) {
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, explain(error));
    return 1;
  }
}

template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  std::string*, const std::string&);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  std::vector<std::string>*, const std::string&);
template void CommandLine::option(const std::string&, const std::string&, const std::string&, int*,
                                  const std::string&);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  int64_t*, const std::string&);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  uint64_t*, const std::string&);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  unsigned*, const std::string&);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  double*, const std::string&);

}  // namespace slipway
