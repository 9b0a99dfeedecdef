// What a command line takes, as data. `--help`, manual pages, shell completion and docs/reference
// are all made from it. A CommandLine (command_line.h) fills it while a program declares what it
// parses, so that none of them can differ from what the program accepts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct CommandDescription {
  struct Option {
    std::string name = {};      // "output"; empty: it has a letter only
    char letter = '\0';         // 'o'
    std::string value = {};     // "FILE"; empty: a flag
    std::string help = {};      // without the default
    std::string standard = {};  // the default, or what happens without the option; may be empty
    std::string section = {};   // its heading; empty: "Options"
    bool repeated = false;
    bool hidden = false;    // accepted, and neither shown nor completed
    bool computed = false;  // `standard` is prose, not a value
  };
  struct Word {
    std::string name;  // "DEPLOYMENT"
    bool required = true;
  };
  struct Row {  // of a list of two columns
    std::string name;
    std::string text;
  };

  std::string program;  // "slipway health report"
  std::string summary;  // one sentence that begins with a verb
  std::string about;    // paragraphs with empty lines between; indented lines are kept as they are
  std::vector<Option> options;
  std::vector<Word> words;
  std::string rest;  // "COMMAND [ARG...]": everything from here on belongs to it; may be empty
  bool rest_required = false;
  bool rest_after_dashes = false;  // it is shown with `--` before it
  std::vector<Row> parts;          // verbs of its own: "report" of `slipway health`
  bool needs_part = false;
  std::vector<Row> examples;
  std::vector<Row> exit_statuses;
  std::vector<Row> environment;
  std::vector<Row> files;
  std::vector<std::string> see_also;  // "slipway-status(1)", or a page below share/doc/slipway
};

// What a value or a word stands for, by its name: {"blueprint", "folder"} for "BLUEPRINT|FOLDER",
// {"choice"} for "text|json", {"text"} for a name that means nothing special.
std::vector<std::string> kinds_of(std::string_view value_name);

// {"text", "json"} of "text|json"; empty unless the kind is "choice".
std::vector<std::string> choices_of(std::string_view value_name);

// "slipway status [DEPLOYMENT] [options]".
std::string usage_line(const CommandDescription& description);

// What --help prints, in 80 columns.
std::string help_text(const CommandDescription& description);

// As JSON (docs/schemas/command-1.schema.json), without a line feed at its end.
std::string to_json(const CommandDescription& description);

// `text` in lines of at most `width` columns, `indent` spaces before each, a line feed after each.
// Empty lines part paragraphs, and a line that begins with a space is kept as it is.
std::string fold(std::string_view text, size_t indent, size_t width = 80);

}  // namespace slipway
