// `slipway fmt`: formats blueprints.
#include "launcher/editor/format.h"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/replace_file.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/editor/unified_diff.h"
#include "launcher/source/input_limit.h"

namespace slipway::commands {
namespace {

struct FormatInput {
  std::vector<std::string> files;
  bool check = false;
  bool diff = false;
};

std::string read_input(const std::string& file) {
  if (file != "-") return read_regular_file(file, source::max_input_bytes);
  std::string text(source::max_input_bytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::cin.gcount()));
  if (text.size() > source::max_input_bytes) {
    throw Error(fmt::format("stdin has more than {} bytes", source::max_input_bytes));
  }
  return text;
}

// What the file should contain. Nothing, after showing why, if it has mistakes.
std::optional<std::string> formatted(const std::string& name, const std::string& text) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  auto result = editor::format_yaml(sources.add(name, text), sources, diagnostics);
  show(diagnostics);
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (result && text.starts_with(mark)) result->insert(0, mark);
  return result;
}

// Whether the file would change. `ok` becomes false if it has mistakes.
bool format_one(const std::string& file, const FormatInput& input, bool& ok) {
  const std::string name = file == "-" ? "<stdin>" : file;
  const std::string text = read_input(file);
  const std::optional<std::string> result = formatted(name, text);
  if (!result) ok = false;
  const bool changes = result && *result != text;
  const bool only_shows = input.check || input.diff;
  if (changes && input.diff) {
    fmt::print("{}", editor::unified_diff(text, *result, name));
  } else if (changes && input.check) {
    fmt::print("{}\n", name);
  }
  if (only_shows) return changes;
  if (file == "-") {
    if (result) fmt::print("{}", *result);
  } else if (changes) {
    replace_file(file, *result);
    fmt::print("{}\n", file);
  }
  return changes;
}

// Options may also follow the files.
std::vector<std::string> options_first(Args args) {
  std::vector<std::string> sorted(args.begin(), args.end());
  if (!sorted.empty() && sorted[0] == "__complete") return sorted;
  const auto end = std::find(sorted.begin(), sorted.end(), "--");
  std::stable_partition(sorted.begin(), end,
                        [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
  return sorted;
}

}  // namespace

int format(Args args) {
  FormatInput input;
  CommandLine line("slipway fmt", "Format blueprints and other YAML files.");
  line.about(
      "It gives each level two spaces, puts a list at the column of its key, leaves one space "
      "after "
      "`:` and `-`, and removes blanks at the ends of lines and empty lines at the ends of the "
      "file. Comments, order, quoting and the text of strings stay, and so does what the file "
      "means.\n\n"
      "Files are changed in place, and the names of those that change are printed. Without FILE, "
      "or with -, it reads stdin and prints the result. A file with mistakes does not change.");
  line.rest("FILE...", &input.files, Arity::optional);
  line.flag("check",
            "change nothing: list the files that would change, and end with 1 if any would",
            &input.check);
  line.flag("diff", "change nothing: show the changes as a patch", &input.diff);
  line.example("slipway fmt cluster.yaml", "format a blueprint");
  line.example("slipway fmt --check *.yaml", "test in CI that all files are formatted");
  line.exit_status("1", "a file has mistakes or, with --check, would change");
  line.see_also("slipway-check(1)");
  line.see_also("slipway-lsp(1)");
  if (!line.parse(options_first(args))) return 0;
  if (input.files.empty()) input.files = {"-"};
  bool ok = true;
  bool changes = false;
  for (const std::string& file : input.files) {
    try {
      changes |= format_one(file, input, ok);
    } catch (const Error& error) {  // the other files are formatted all the same
      fmt::print(stderr, "slipway: {}\n", error.what());
      ok = false;
    }
  }
  if (!ok || (input.check && changes)) throw ReportedError("a file is not formatted");
  return 0;
}

}  // namespace slipway::commands
