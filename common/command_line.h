// The command line of every program here: full words, help with examples, suggestions for typos,
// exit status 2. What is declared is also what manual pages, completion and docs/reference show.
//
//   CommandLine line("slipway status", "Show deployments, or the nodes and jobs of one.");
//   line.positional("DEPLOYMENT", &name, Arity::optional);
//   line.flag("json", "print JSON", &json);
//   line.option("timeout", "SECONDS", "give up after this long", &timeout);
//   line.example("slipway status quickstart", "the nodes of one deployment");
//   if (!line.parse(args)) return 0;   // --help was given and printed
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/command_description.h"

namespace boost::program_options {
class options_description;
}

namespace slipway {

enum class Arity { required, optional };

class CommandLine {
 public:
  // `summary` is one sentence that begins with a verb and says what the user gets.
  CommandLine(std::string program, std::string summary);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Paragraphs, with empty lines between them. A line that begins with a space is not folded.
  void about(std::string text);

  // Names are "json" for --json, "output,o" for --output and -o, ",b" for -b alone.
  void flag(const std::string& name, const std::string& help, bool* target);

  // --json, described as "print JSON" with `what` in parentheses ("schema slipway/status/1"). It
  // may also be spelled --format json; `other` is the format without it, empty if there is none.
  void json(const std::string& what, bool* target, const std::string& other = "text");

  // An option with a value, such as FILE (command_description.h has the names that mean something)
  // or `text|json`. A std::vector target may be given several times. The default that help shows is
  // what `target` has; `unset` says instead what happens without the option.
  // The types that T may be are listed at the end of command_line.cc: only that file includes
  // Boost's headers, which take long to compile.
  template <class T>
  void option(const std::string& name, const std::string& value_name, const std::string& help,
              T* target, const std::string& unset = "");

  // Puts the options that follow under this heading.
  void section(std::string title);
  // Accepts the option that was declared last without showing it.
  void hide();

  // A word without dashes. Words are assigned in the order of these calls.
  void positional(const std::string& name, std::string* target, Arity arity = Arity::required);

  // Everything from the first word after the positionals on, with or without `--` before it,
  // untouched: the command of `slipway exec`. `name` is "COMMAND [ARG...]".
  void rest(const std::string& name, std::vector<std::string>* target,
            Arity arity = Arity::required);
  // The same, and help shows it after `--`.
  void rest_after_dashes(const std::string& name, std::vector<std::string>* target,
                         Arity arity = Arity::required);

  // A subcommand, such as `report` of `slipway health`. `needed`: nothing happens without one.
  void part(std::string name, std::string summary, bool needed = true);

  void example(std::string command, std::string what);
  // 0, 1 and 2 mean what they mean everywhere unless they are set here.
  void exit_status(const std::string& status, std::string meaning);
  void environment(std::string variable, std::string meaning);
  void file(std::string path, std::string meaning);
  void see_also(std::string what);

  // Fills the targets. False if --help was given: help is on stdout, and the program should
  // exit 0. `--help=json` prints the description, and `__complete` answers a shell. Throws
  // UsageError with a suggestion on anything unknown, missing or malformed.
  bool parse(std::span<const std::string> args);

  const CommandDescription& description() const { return description_; }

 private:
  void declare(const std::string& name, CommandDescription::Option option);
  void declare_help();
  size_t own_arguments(std::span<const std::string> args) const;
  bool print_help(std::span<const std::string> own) const;
  bool print_completion(std::span<const std::string> args) const;
  void take_format();
  void take_words(const std::vector<std::string>& words, std::vector<std::string> after_dashes);

  CommandDescription description_;
  std::unique_ptr<boost::program_options::options_description> options_;
  std::vector<std::string*> targets_;  // of description_.words
  std::vector<std::string>* rest_ = nullptr;
  std::string section_;
  // Of json(): --format's value, what it may be, and where the result goes.
  std::string format_;
  std::vector<std::string> formats_;
  bool* json_ = nullptr;
};

// What `body` would parse: it runs up to CommandLine::parse(), which returns false without a look
// at its arguments. Throws Error when `body` parses nothing.
CommandDescription describe(const std::function<void()>& body);

// Runs a program's main part and turns what it throws into a line on stderr and an exit status:
// UsageError 2, any other exception 1; a ReportedError leaves no line.
int run_main(const std::string& program, const std::function<int()>& body);

}  // namespace slipway
