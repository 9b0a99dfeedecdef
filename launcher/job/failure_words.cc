// Reads the catalog of failure messages, and finds them in a task's output.
#include "launcher/job/failure_words.h"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "common/error.h"
#include "common/installation.h"
#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/job/last_output.h"

namespace slipway::job {
namespace {

using cluster::RowReader;

constexpr size_t longest_summary = 400;

// Patterns are tried in this order: a line about a broken GPU may also mention peers.
constexpr std::array groups = {Meaning::node, Meaning::program, Meaning::either, Meaning::peer,
                               Meaning::silence};

// The position of the first part, if the line contains all parts in order.
std::optional<size_t> position_of(const std::vector<std::string>& parts, const std::string& line) {
  std::optional<size_t> first;
  size_t at = 0;
  for (const std::string& part : parts) {
    at = line.find(part, at);
    if (at == line.npos) return std::nullopt;
    if (!first) first = at;
    at += part.size();
  }
  return first;
}

// The text of the row's source.
std::string read_source(RowReader& row, const source::Node& item,
                        const std::map<std::string, std::string>& sources) {
  const std::string name = row.text("source");
  const auto known = sources.find(name);
  if (known != sources.end()) return known->second;
  if (!name.empty()) {
    row.wrong(item.find("source")->span, fmt::format("there is no source `{}`", name));
  }
  return "";
}

// Reads the rows of an optional list, each with the reason and its source.
template <class Read>
void for_each_row(RowReader& file, const char* key,
                  const std::map<std::string, std::string>& sources,
                  source::Diagnostics& diagnostics, Read read) {
  const source::Node* list = file.has(key) ? file.sequence(key) : nullptr;
  if (list == nullptr) return;
  for (const source::Node& item : list->items) {
    RowReader row(item, fmt::format("a row of `{}`", key), diagnostics);
    read(row);
    row.text("why");
    read_source(row, item, sources);
    row.finish();
  }
}

FailureWords::Pattern read_pattern(const source::Node& item, Meaning meaning,
                                   const std::map<std::string, std::string>& sources,
                                   source::Diagnostics& diagnostics) {
  RowReader row(item, fmt::format("a pattern of `{}`", meaning_name(meaning)), diagnostics);
  FailureWords::Pattern pattern;
  pattern.meaning = meaning;
  pattern.match = row.text("match");
  pattern.line = row.text("line");
  pattern.seen = row.text("seen");
  pattern.source = read_source(row, item, sources);
  if (!pattern.match.empty() && pattern.match.find_first_not_of('*') == std::string::npos) {
    row.wrong(item.find("match")->span, "this matches every line");
  }
  if (!pattern.match.empty() && !pattern.line.empty() &&
      !position_of(split(to_lower(pattern.match), '*'), to_lower(pattern.line))) {
    row.wrong(item.find("line")->span, "the pattern does not match its own line");
  }
  row.finish();
  return pattern;
}

}  // namespace

const char* meaning_name(Meaning meaning) {
  constexpr std::array names = {"silence", "peer", "own", "either", "program", "node"};
  return names[static_cast<size_t>(meaning)];
}

FailureWords::FailureWords(std::vector<Pattern> patterns, std::set<int> permanent,
                           std::set<std::string, std::less<>> vague)
    : patterns_(std::move(patterns)), permanent_(std::move(permanent)), vague_(std::move(vague)) {
  for (const Pattern& pattern : patterns_) parts_.push_back(split(to_lower(pattern.match), '*'));
}

const FailureWords::Pattern* FailureWords::find(const std::string& line, size_t& at) const {
  const std::string lower = to_lower(line);
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const auto position = position_of(parts_[i], lower);
    if (!position) continue;
    at = *position;
    return &patterns_[i];
  }
  return nullptr;
}

Diagnosis FailureWords::diagnose(std::string_view words) const {
  Diagnosis best;
  bool error = false;  // the best line has the form of an error
  for (WordLine& line : lines_of(words)) {
    size_t at = 0;
    const Pattern* pattern = find(line.text, at);
    const Meaning meaning = pattern == nullptr ? Meaning::own : pattern->meaning;
    if (meaning == Meaning::silence || (pattern == nullptr && line.output)) continue;
    // An unknown line is used if there is nothing better, or if it has the form of a program's
    // final error.
    const auto weight = [](Meaning of, bool is_error) {
      return of == Meaning::own && !is_error ? 0 : static_cast<int>(of);
    };
    if (weight(meaning, line.error) < weight(best.meaning, error) &&
        best.meaning != Meaning::silence) {
      continue;
    }
    best.meaning = meaning;
    error = line.error;
    const bool known = pattern != nullptr && !line.error;
    best.message = line.exact ? line.text : message_of(known ? line.text.substr(at) : line.text);
    best.line = std::move(line.text);
  }
  return best;
}

std::string_view FailureWords::exception_of(const std::string& message) const {
  const size_t status = message.find(": ");
  const size_t end = message.find(": ", status + 1);
  if (end == message.npos) return {};
  const std::string_view type = std::string_view(message).substr(0, end);
  const bool exception = type.ends_with("Error") || type.ends_with("Exception");
  return exception && !vague_.contains(type.substr(type.rfind(' ') + 1)) ? type
                                                                         : std::string_view();
}

bool FailureWords::are_alike(const std::string& message, const std::string& other) const {
  if (message == other) return true;
  const std::string_view exception = exception_of(message);
  return !exception.empty() && exception == exception_of(other);
}

std::string message_of(std::string_view line) {
  std::string text;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    const bool digit = std::isdigit(byte) != 0 ||
                       (std::isxdigit(byte) != 0 && !text.empty() && text.back() == '#');
    if (!digit) {
      text += c;
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text.substr(0, longest_summary);
}

FailureWords load_failure_words(const std::filesystem::path& folder, source::Sources& sources,
                                source::Diagnostics& diagnostics) {
  const auto root =
      read_yaml(sources.add_file(folder / "failure_words.yaml"), sources, diagnostics);
  if (!root) return FailureWords();
  std::vector<FailureWords::Pattern> patterns;
  RowReader file(*root, "the file", diagnostics);
  std::map<std::string, std::string> origins;
  if (const source::Node* node = file.mapping("sources")) {
    RowReader row(*node, "the sources", diagnostics);
    for (const source::Entry& entry : node->entries) origins[entry.key] = row.text(entry.key);
  }
  for (const Meaning meaning : groups) {
    const source::Node* list = file.sequence(meaning_name(meaning));
    if (list == nullptr) continue;
    for (const source::Node& item : list->items) {
      patterns.push_back(read_pattern(item, meaning, origins, diagnostics));
    }
  }
  std::set<int> permanent;
  std::set<std::string, std::less<>> vague;
  for_each_row(file, "permanent", origins, diagnostics,
               [&](RowReader& row) { permanent.insert(static_cast<int>(row.count("status"))); });
  for_each_row(file, "vague", origins, diagnostics,
               [&](RowReader& row) { vague.insert(row.text("exception")); });
  file.finish();
  return FailureWords(std::move(patterns), std::move(permanent), std::move(vague));
}

FailureWords installed_failure_words() {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  FailureWords words =
      load_failure_words(find_installation().blueprints() / "catalogue", sources, diagnostics);
  if (diagnostics.errors() > 0) throw Error(render(diagnostics));
  return words;
}

}  // namespace slipway::job
