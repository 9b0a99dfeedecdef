// The command line of every program here: full words, help with examples, suggestions for typos,
// exit status 2.
//
//   CommandLine line("slipway status", "[NAME]", "Show deployments, their nodes and jobs.");
//   line.flag("json", "print JSON", &json);
//   line.option("timeout", "SECONDS", "give up after this long (default 30)", &timeout);
//   line.positional("NAME", &name, Arity::optional);
//   line.example("slipway status quickstart", "the nodes of one deployment");
//   if (!line.parse(args)) return 0;   // --help was asked for and printed
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace boost::program_options {
class options_description;
}

namespace slipway {

enum class Arity { required, optional };

class CommandLine {
 public:
  // `synopsis` is what stands behind the program's name in the usage line.
  CommandLine(std::string program, std::string synopsis, std::string about);
  ~CommandLine();

  // Names are Boost's: "json" is --json, "output,o" is --output and -o, ",b" is -b alone.
  void flag(const std::string& name, const std::string& help, bool* target);

  // An option with a value. A std::vector target may be given several times.
  // The types of a T that a program here has are in command_line.cc: Boost's headers
  // take a second to compile, and only that file pays for them.
  template <class T>
  void option(const std::string& name, const std::string& value_name, const std::string& help,
              T* target);

  // A word without dashes. Words are handed out in the order of these calls.
  void positional(const std::string& name, std::string* target, Arity arity = Arity::required);

  // Everything from the first word behind the positionals on, with or without `--` before it,
  // untouched: the command of `slipway exec`.
  void rest(const std::string& name, std::vector<std::string>* target,
            Arity arity = Arity::required);

  void example(std::string command, std::string what);

  // Fills the targets. False when --help was asked for: it is on stdout, and the program should
  // exit 0. Throws UsageError with a suggestion on anything unknown, missing or malformed.
  bool parse(std::span<const std::string> args);

  std::string help() const;

 private:
  struct Positional {
    std::string name;
    std::string* target;
    Arity arity;
  };
  struct Example {
    std::string command;
    std::string what;
  };

  size_t own_arguments(std::span<const std::string> args) const;
  void take_words(const std::vector<std::string>& words, std::vector<std::string> after_dashes);

  std::string program_;
  std::string synopsis_;
  std::string about_;
  std::unique_ptr<boost::program_options::options_description> options_;
  std::vector<Positional> positionals_;
  std::vector<std::string>* rest_ = nullptr;
  std::string rest_name_;
  Arity rest_arity_ = Arity::optional;
  std::vector<Example> examples_;
};

// Runs a program's main part and turns what it throws into a line on stderr and an exit status:
// UsageError 2, any other exception 1; a ReportedError leaves no line.
int run_main(const std::string& program, const std::function<int()>& body);

}  // namespace slipway
