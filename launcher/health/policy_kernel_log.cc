// Reads the part of a health policy that turns kernel records into findings.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "launcher/health/kernel_words.h"
#include "launcher/health/policy_reader.h"

namespace slipway::health {
namespace {

using source::Node;

const std::vector<std::string> pattern_keys = {"name", "level", "record", "example", "finding"};
// The kernel logs what programs do at lower levels.
const std::vector<std::string> level_words = {"emergency", "alert", "critical", "error", "warning"};

// A program's name in the kernel (comm) has at most 15 bytes; each may appear as \xNN.
constexpr const char* program_name = R"((?:\\x[0-9a-f]{2}|[^\\]){0,15})";

// Whether every record of this form begins with the same character. A form that can begin with
// anything would match names that users choose.
bool begins_with_fixed_text(const std::string& form) {
  if (form.empty() || std::strchr(".[(*+?|^$)", form[0]) != nullptr) return false;
  if (form[0] == '\\' && (form.size() < 2 || std::isalnum(static_cast<unsigned char>(form[1])))) {
    return false;  // a class of characters, or a lone backslash
  }
  const size_t next = form[0] == '\\' ? 2 : 1;
  if (next < form.size() && std::strchr("*?{", form[next]) != nullptr) return false;
  int depth = 0;
  for (size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '\\') {
      ++i;
    } else if (form[i] == '[') {
      // A character class; `]` is part of it if it comes first.
      i = form.find(']', i + (form.compare(i + 1, 1, "^") == 0 ? 3 : 2));
      if (i == form.npos) return false;
    } else if (form[i] == '|' && depth == 0) {
      return false;
    } else {
      depth += form[i] == '(' ? 1 : form[i] == ')' ? -1 : 0;
    }
  }
  return true;
}

std::string text_of(const Node& node, const char* key) {
  const Node* const found = node.find(key);
  return found != nullptr && found->is_scalar() ? found->text : "";
}

}  // namespace

bool PolicyReader::read_form(const Node& node, RecordForm& form) {
  form = RecordForm(node.text);
  if (const std::string error = form.error(); !error.empty()) {
    wrong(node.span, fmt::format("`{}` is not a regular expression: {}", node.text, error),
          "the syntax is RE2's: https://github.com/google/re2/wiki/Syntax");
  } else if (!begins_with_fixed_text(node.text)) {
    wrong(node.span, fmt::format("`{}` does not begin with fixed text", node.text),
          "give the whole record: a pattern that can begin with anything would match names that "
          "users choose");
  } else {
    return true;
  }
  return false;
}

bool PolicyReader::is_example(const Node& example, const KernelPattern& pattern) {
  const KernelRecord record{0, pattern.level, example.text};
  if (!pattern.record.matches(record.text)) {
    wrong(example.span, "the example does not match `record`",
          "`record` must match the whole example");
  } else if (begins_with_a_program(record, policy_)) {
    wrong(example.span, "the example begins with a program's name, which users choose");
  } else {
    return true;
  }
  return false;
}

void PolicyReader::read_kernel_pattern(const Node& node) {
  if (!is_mapping(node, "a pattern of `kernel_log`")) return;
  for (const source::Entry& entry : node.entries) {
    if (entry.key == "begins") {
      return wrong(entry.key_span, "`begins` is no longer supported in `kernel_log`",
                   "users could name a program like the beginning of a record: give the whole "
                   "`record` and its `level`");
    }
    if (std::ranges::find(pattern_keys, entry.key) == pattern_keys.end()) {
      return unknown(entry.key_span, "key of a pattern", entry.key, pattern_keys);
    }
    if (!entry.value.is_scalar() || entry.value.text.empty()) {
      return wrong(entry.value.span,
                   fmt::format("`{}` is {}, expected a string", entry.key, describe(entry.value)));
    }
  }
  for (const std::string& key : pattern_keys) {
    if (node.find(key) == nullptr) {
      return wrong(node.span, fmt::format("a pattern needs `{}`", key),
                   "it requires `name`, `level`, `record`, `example` and `finding`");
    }
  }
  const Node &level = *node.find("level"), &finding = *node.find("finding"),
             &example = *node.find("example");
  if (std::ranges::find(level_words, level.text) == level_words.end()) {
    return unknown(level.span, "level of a fault", level.text, level_words);
  }
  if (!policy_.findings.contains(finding.text)) {
    return unknown(finding.span, "finding", finding.text, keys_of_findings());
  }
  KernelPattern pattern{text_of(node, "name"), *level_named(level.text), {}, finding.text};
  if (!read_form(*node.find("record"), pattern.record)) return;
  // The catalog's examples are checked by a unit test, since every check of a node reads the
  // catalog.
  if (is_first() || is_example(example, pattern)) policy_.kernel_log.push_back(std::move(pattern));
}

void PolicyReader::read_kernel_log(const Node& node) {
  if (!node.is_sequence()) {
    return wrong(node.span, fmt::format("`kernel_log` is {}, expected a list", describe(node)));
  }
  for (const Node& item : node.items) read_kernel_pattern(item);
}

void PolicyReader::read_program_records(const Node& node) {
  std::string rests;
  for (const std::string& rest : texts(node, "`program_records`")) {
    rests += (rests.empty() ? "" : "|") + rest;
  }
  RecordForm form(std::string(program_name) + "(?:" + rests + ").*");
  if (const std::string error = form.error(); !error.empty()) {
    return wrong(node.span, fmt::format("`{}`: {}", rests, error));
  }
  policy_.program_records = {std::move(form)};
}

}  // namespace slipway::health
