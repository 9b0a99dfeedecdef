// Renders a command line's description: for people with --help, for programs as JSON.
#include "common/command_description.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/text.h"

namespace slipway {
namespace {

using Option = CommandDescription::Option;
using Row = CommandDescription::Row;
using Json = nlohmann::ordered_json;

constexpr size_t option_column = 30;  // where the help of options begins
constexpr size_t line_width = 80;

// The names that values and words have, and what they stand for: what completion offers.
const std::map<std::string_view, std::string_view>& kinds() {
  static const std::map<std::string_view, std::string_view> kinds{{"BLUEPRINT", "blueprint"},
                                                                  {"CODE", "code"},
                                                                  {"COMMAND", "command"},
                                                                  {"DAEMON", "daemon"},
                                                                  {"DAYS", "number"},
                                                                  {"DEPLOYMENT", "deployment"},
                                                                  {"FAULT", "fault"},
                                                                  {"FILE", "file"},
                                                                  {"FOLDER", "folder"},
                                                                  {"GROUP", "group"},
                                                                  {"HOURS", "number"},
                                                                  {"IMAGE", "image"},
                                                                  {"JOB", "job"},
                                                                  {"MINUTES", "number"},
                                                                  {"MODULE", "module"},
                                                                  {"N", "number"},
                                                                  {"NEW", "file"},
                                                                  {"NODE", "node"},
                                                                  {"OLD", "file"},
                                                                  {"OTHER", "file"},
                                                                  {"PERCENT", "number"},
                                                                  {"REPORT", "file"},
                                                                  {"SECONDS", "number"},
                                                                  {"SETTING", "setting"},
                                                                  {"USER", "user"},
                                                                  {"VALIDATOR", "validator"},
                                                                  {"VERB", "verb"}};
  return kinds;
}

bool is_choice(std::string_view name) {
  const size_t bar = name.find('|');
  return bar != name.npos && !kinds().contains(name.substr(0, bar));
}

// Columns on a terminal, with each code point as one.
size_t columns_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// "-o, --output FILE"; without a letter the long name is in the same column.
std::string spelled(const Option& option) {
  std::string text = option.letter == '\0' ? "    " : fmt::format("-{}", option.letter);
  if (option.letter != '\0' && !option.name.empty()) text += ", ";
  if (!option.name.empty()) text += "--" + option.name;
  return option.value.empty() ? text : text + " " + option.value;
}

std::string help_of(const Option& option) {
  if (option.standard.empty()) return option.help;
  return fmt::format("{} (default{} {})", option.help, option.computed ? ":" : "", option.standard);
}

// `left` in its column, and `right` folded beside it.
std::string row_text(const std::string& left, const std::string& right, size_t column) {
  std::string text = "  " + left;
  std::string folded = fold(right, column, line_width);
  if (columns_of(text) + 2 > column) return text + "\n" + folded;
  text += std::string(column - columns_of(text), ' ');
  return text + folded.substr(std::min(column, folded.size()));
}

std::string rows_text(const char* title, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, columns_of(row.name));
  std::string text = fmt::format("\n{}:\n", title);
  for (const Row& row : rows) {
    text += row_text(row.name, row.text, std::min(widest + 4, option_column));
  }
  return text;
}

std::string options_text(const CommandDescription& description) {
  std::string text, section;
  bool any = false;
  for (const Option& option : description.options) {
    if (option.hidden) continue;
    if (!any || option.section != section) {
      text += fmt::format("\n{}:\n", option.section.empty() ? "Options" : option.section);
      section = option.section;
      any = true;
    }
    text += row_text(spelled(option), help_of(option), option_column);
  }
  return text;
}

Json rows_json(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back({{"name", row.name}, {"text", row.text}});
  return list;
}

Json option_json(const Option& option) {
  return {{"name", option.name},
          {"letter", option.letter == '\0' ? "" : std::string(1, option.letter)},
          {"value", option.value},
          {"kinds", option.value.empty() ? std::vector<std::string>{} : kinds_of(option.value)},
          {"choices", choices_of(option.value)},
          {"help", option.help},
          {"default", option.standard},
          {"computed", option.computed},
          {"section", option.section},
          {"repeated", option.repeated},
          {"hidden", option.hidden}};
}

}  // namespace

std::vector<std::string> kinds_of(std::string_view value_name) {
  if (is_choice(value_name)) return {"choice"};
  std::vector<std::string> found;
  for (const std::string& alternative : split(value_name, '|')) {
    const std::string_view name =
        std::string_view(alternative).substr(0, alternative.find_first_of(",[="));  // GROUP,...
    const auto kind = kinds().find(name);
    found.emplace_back(kind == kinds().end() ? "text" : kind->second);
  }
  return found;
}

std::vector<std::string> choices_of(std::string_view value_name) {
  return is_choice(value_name) ? split(value_name, '|') : std::vector<std::string>{};
}

std::string fold(std::string_view text, size_t indent, size_t width) {
  const std::string margin(indent, ' ');
  std::string out, line;
  const auto end_line = [&] {
    if (!line.empty()) out += margin + line + "\n";
    line.clear();
  };
  for (const std::string& given : split(text, '\n')) {
    if (given.empty() || given.front() == ' ') {
      end_line();
      out += given.empty() ? "\n" : margin + given + "\n";
      continue;
    }
    for (const std::string& word : split(given, ' ')) {
      if (!line.empty() && indent + columns_of(line) + 1 + columns_of(word) > width) end_line();
      line += (line.empty() ? "" : " ") + word;
    }
  }
  end_line();
  return out;
}

std::string usage_line(const CommandDescription& description) {
  std::string text = description.program;
  if (description.needs_part) text += " COMMAND";
  for (const auto& word : description.words) {
    text += word.required ? " " + word.name : fmt::format(" [{}]", word.name);
  }
  const bool has_options =
      std::any_of(description.options.begin(), description.options.end(),
                  [](const Option& option) { return !option.hidden && option.name != "help"; });
  if (has_options || description.needs_part) text += " [options]";
  if (description.rest.empty()) return text;
  const std::string rest = (description.rest_after_dashes ? "-- " : "") + description.rest;
  return text + (description.rest_required ? " " + rest : fmt::format(" [{}]", rest));
}

std::string help_text(const CommandDescription& description) {
  std::string text = fold(description.summary, 0) + "\nUsage: " + usage_line(description) + "\n";
  if (!description.parts.empty() && !description.needs_part) {
    text += fmt::format("       {} COMMAND [options]\n", description.program);
  }
  if (!description.about.empty()) text += "\n" + fold(description.about, 0);
  text += rows_text("Commands", description.parts) + options_text(description);
  if (!description.examples.empty()) text += "\nExamples:\n";
  for (const Row& example : description.examples) {
    text += fmt::format("  {}\n{}", example.name, fold(example.text, 6));
  }
  text += rows_text("Exit status", description.exit_statuses);
  text += rows_text("Environment", description.environment);
  text += rows_text("Files", description.files);
  if (!description.see_also.empty()) {
    text += "\nSee also:\n" + fold(join(description.see_also, ", "), 2);
  }
  return text;
}

std::string to_json(const CommandDescription& description) {
  Json options = Json::array(), words = Json::array();
  for (const Option& option : description.options) options.push_back(option_json(option));
  for (const auto& word : description.words) {
    words.push_back({{"name", word.name},
                     {"required", word.required},
                     {"kinds", kinds_of(word.name)},
                     {"choices", choices_of(word.name)}});
  }
  return Json{{"schema", "slipway/command/1"},
              {"program", description.program},
              {"summary", description.summary},
              {"about", description.about},
              {"usage", usage_line(description)},
              {"options", std::move(options)},
              {"words", std::move(words)},
              {"rest", description.rest},
              {"parts", rows_json(description.parts)},
              {"needs_part", description.needs_part},
              {"examples", rows_json(description.examples)},
              {"exit_statuses", rows_json(description.exit_statuses)},
              {"environment", rows_json(description.environment)},
              {"files", rows_json(description.files)},
              {"see_also", description.see_also}}
      .dump(2);
}

}  // namespace slipway
