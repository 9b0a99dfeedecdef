// Reads one mapping of a catalogue file.
#include "launcher/cluster/row_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include "common/text.h"

namespace slipway::cluster {

using source::Kind;

namespace {

// The largest whole number that any figure can be, far below int64_t's maximum.
constexpr long double most = 1e15L;

}  // namespace

int64_t positive_number(std::string_view text) {
  const int64_t number = to_number<int64_t>(text).value_or(0);
  return number > 0 && text.front() != '0' ? number : 0;
}

RowReader::RowReader(const source::Node& row, std::string what, source::Diagnostics& diagnostics)
    : row_(row), what_(std::move(what)), diagnostics_(diagnostics) {
  if (!row.is_mapping()) {
    wrong(row.span, fmt::format("{} is {}, expected a mapping", what_, describe(row)));
  }
}

void RowReader::wrong(source::Span span, std::string message, std::string help) {
  diagnostics_.error(source::Code::bad_catalogue, span, std::move(message)).help(std::move(help));
  ok_ = false;
}

bool RowReader::has(std::string_view key) {
  asked_.emplace_back(key);
  return row_.find(key) != nullptr;
}

const source::Node* RowReader::value(std::string_view key, Kind kind, std::string_view kind_name) {
  asked_.emplace_back(key);
  if (!row_.is_mapping()) return nullptr;  // reported by the constructor
  const source::Node* value = row_.find(key);
  if (value == nullptr) {
    wrong(row_.span, fmt::format("{} has no `{}`", what_, key));
  } else if (value->kind != kind || value->is_null()) {
    wrong(value->span,
          fmt::format("`{}` of {} is {}, expected {}", key, what_, describe(*value), kind_name));
    value = nullptr;
  }
  return value;
}

const source::Node* RowReader::mapping(std::string_view key) {
  return value(key, Kind::mapping, "a mapping");
}

const source::Node* RowReader::sequence(std::string_view key) {
  return value(key, Kind::sequence, "a list");
}

const source::Node* RowReader::scalar(std::string_view key) {
  return value(key, Kind::scalar, "text");
}

std::string RowReader::text(std::string_view key) {
  const source::Node* node = scalar(key);
  return node == nullptr ? "" : node->text;
}

long double RowReader::number(std::string_view key, bool whole) {
  const source::Node* node = value(key, Kind::scalar, "a number");
  if (node == nullptr) return 0;
  const source::Scalar scalar = resolve(*node);
  const auto* number = std::get_if<long double>(&scalar);
  if (number != nullptr && *number > 0 && *number <= most &&
      (!whole || std::floor(*number) == *number)) {
    return *number;
  }
  wrong(node->span, fmt::format("`{}` of {} is `{}`, expected a {}number above 0", key, what_,
                                node->text, whole ? "whole " : ""));
  return 0;
}

int64_t RowReader::count(std::string_view key) {
  return static_cast<int64_t>(number(key, true));
}

long double RowReader::amount(std::string_view key) {
  return number(key, false);
}

std::set<std::string> RowReader::keys(std::string_view key) {
  std::set<std::string> keys;
  if (const source::Node* node = mapping(key)) {
    for (const source::Entry& entry : node->entries) keys.insert(entry.key);
  }
  return keys;
}

std::vector<std::string> RowReader::texts(std::string_view key) {
  std::vector<std::string> texts;
  const source::Node* list = sequence(key);
  if (list == nullptr) return texts;
  for (const source::Node& item : list->items) {
    if (item.is_scalar() && !item.is_null()) {
      texts.push_back(item.text);
    } else {
      wrong(item.span,
            fmt::format("`{}` of {} contains {}, expected text", key, what_, describe(item)));
    }
  }
  return texts;
}

std::string RowReader::optional_text(std::string_view key) {
  return has(key) ? text(key) : "";
}

int64_t RowReader::optional_count(std::string_view key, int64_t otherwise) {
  return has(key) ? count(key) : otherwise;
}

std::vector<std::string> RowReader::optional_texts(std::string_view key) {
  return has(key) ? texts(key) : std::vector<std::string>();
}

std::string RowReader::one_of(std::string_view key, const std::set<std::string>& known) {
  const source::Node* node = scalar(key);
  if (node == nullptr || known.contains(node->text)) return node == nullptr ? "" : node->text;
  wrong(node->span, fmt::format("`{}` of {} is `{}`, which is not listed", key, what_, node->text),
        source::did_you_mean(node->text, std::vector<std::string>(known.begin(), known.end())));
  return "";
}

bool RowReader::finish(const std::set<std::string>& sources) {
  const source::Node* found = row_.find("source");
  if (found == nullptr || found->is_scalar()) {
    one_of("source", sources);
    return finish();
  }
  for (const std::string& source : texts("source")) {
    if (!sources.contains(source)) {
      wrong(found->span,
            fmt::format("`source` of {} has `{}`, which is not listed", what_, source));
    }
  }
  return finish();
}

bool RowReader::finish() {
  for (const source::Entry& entry : row_.entries) {
    if (std::ranges::find(asked_, entry.key) == asked_.end()) {
      wrong(entry.key_span, fmt::format("{} has an unknown key `{}`", what_, entry.key),
            source::did_you_mean(entry.key, asked_));
    }
  }
  return ok_;
}

}  // namespace slipway::cluster
