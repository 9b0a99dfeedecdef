// The command line of every program here, on Boost.Program_options.
#include "common/command_line.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>

#include <fmt/core.h>
#include <boost/program_options.hpp>

#include "common/error.h"
#include "common/text.h"

namespace slipway {
namespace {

namespace po = boost::program_options;

// What Boost found wrong, in our words and with a suggestion.
std::string explain(const po::error& error, const po::options_description& options) {
  const auto* unknown = dynamic_cast<const po::unknown_option*>(&error);
  if (unknown == nullptr) return error.what();
  std::vector<std::string> known;
  for (const auto& option : options.options()) {
    if (!option->long_name().empty()) known.push_back("--" + option->long_name());
  }
  std::string text = fmt::format("unknown option `{}`", unknown->get_option_name());
  const std::string guess = nearest(unknown->get_option_name(), known);
  if (!guess.empty()) text += fmt::format("; did you mean `{}`?", guess);
  return text;
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string synopsis, std::string about)
    : program_(std::move(program)),
      synopsis_(std::move(synopsis)),
      about_(std::move(about)),
      options_(std::make_unique<po::options_description>("Options", 100, 60)) {
  options_->add_options()("help,h", "print this help");
}

CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& name, const std::string& help, bool* target) {
  options_->add_options()(name.c_str(), po::bool_switch(target), help.c_str());
}

template <class T>
void CommandLine::option(const std::string& name, const std::string& value_name,
                         const std::string& help, T* target) {
  options_->add_options()(name.c_str(), po::value<T>(target)->value_name(value_name), help.c_str());
}

void CommandLine::positional(const std::string& name, std::string* target, Arity arity) {
  positionals_.push_back({name, target, arity});
}

void CommandLine::rest(const std::string& name, std::vector<std::string>* target, Arity arity) {
  rest_ = target;
  rest_name_ = name;
  rest_arity_ = arity;
}

void CommandLine::example(std::string command, std::string what) {
  examples_.push_back({std::move(command), std::move(what)});
}

template void CommandLine::option(const std::string&, const std::string&, const std::string&, int*);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  unsigned*);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  int64_t*);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  uint64_t*);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  double*);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  std::string*);
template void CommandLine::option(const std::string&, const std::string&, const std::string&,
                                  std::vector<std::string>*);

bool CommandLine::parse(std::span<const std::string> args) {
  const size_t own = own_arguments(args);
  std::vector<std::string> before(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(own));
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
      std::fputs(help().c_str(), stdout);
      return false;
    }
    po::notify(values);
  } catch (const po::error& error) {
    throw UsageError(explain(error, *options_));
  }
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
    } else if (words++ == positionals_.size() && rest_ != nullptr) {
      return i;
    }
  }
  return args.size();
}

void CommandLine::take_words(const std::vector<std::string>& words,
                             std::vector<std::string> after_dashes) {
  auto next = words.begin();
  for (const Positional& positional : positionals_) {
    if (next != words.end()) {
      if (next->empty()) throw UsageError(fmt::format("{} is empty", positional.name));
      *positional.target = *next++;
    } else if (positional.arity == Arity::required) {
      throw UsageError(fmt::format("{} is missing", positional.name));
    }
  }
  std::vector<std::string> left(next, words.end());
  left.insert(left.end(), std::make_move_iterator(after_dashes.begin()),
              std::make_move_iterator(after_dashes.end()));
  if (rest_ != nullptr) {
    if (left.empty() && rest_arity_ == Arity::required) {
      throw UsageError(fmt::format("{} is missing", rest_name_));
    }
    *rest_ = std::move(left);
  } else if (!left.empty()) {
    throw UsageError(fmt::format("unexpected word `{}`", left.front()));
  }
}

std::string CommandLine::help() const {
  std::ostringstream options;
  options << *options_;
  std::string text =
      fmt::format("{}\n\nUsage: {} {}\n\n{}", about_, program_, synopsis_, options.str());
  if (!examples_.empty()) text += "\nExamples:\n";
  for (const Example& example : examples_) {
    text += fmt::format("  {}\n      {}\n", example.command, example.what);
  }
  return text;
}

int run_main(const std::string& program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const UsageError& error) {
    fmt::print(stderr, "{}: {}\nTry `{} --help`.\n", program, error.what(), program);
    return 2;
  } catch (const ReportedError&) {
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 1;
  }
}

}  // namespace slipway
