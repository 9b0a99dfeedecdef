// Encodings: Base64, JSON, CSV and URLs.
#include <fmt/core.h>
#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/base64.h"
#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/json.h"
#include "launcher/expression/unicode.h"

namespace slipway::expression {
namespace {

Result base64encode(const List& arguments) {
  return Value(to_base64(text_at(arguments, 0)));
}

Result base64decode(const List& arguments) {
  std::optional<std::string> text = from_base64(text_at(arguments, 0));
  if (!text) throw ArgumentError(0, "is not Base64");
  if (!is_utf8(*text)) throw ArgumentError(0, "is not UTF-8 text");
  return Value(*std::move(text));
}

// Converts a string from one character set to another. `argument` is the index of the string.
std::string converted(const std::string& text, const std::string& from, const std::string& to,
                      size_t argument) {
  const iconv_t converter = ::iconv_open(to.c_str(), from.c_str());
  if (converter == reinterpret_cast<iconv_t>(-1)) {
    throw ArgumentError(
        1, fmt::format("is `{}`, an unknown character set", from == "UTF-8" ? to : from));
  }
  std::string in = text;
  std::string out(4 * text.size() + 16, '\0');
  char* at = in.data();
  size_t left = in.size();
  char* end = out.data();
  size_t room = out.size();
  const size_t result = ::iconv(converter, &at, &left, &end, &room);
  ::iconv_close(converter);
  if (result != 0 || left > 0) {  // not 0: something was replaced
    throw ArgumentError(argument, fmt::format("has characters that {} cannot represent", to));
  }
  out.resize(out.size() - room);
  return out;
}

Result textencodebase64(const List& arguments) {
  const std::string& text = text_at(arguments, 0);
  return Value(to_base64(converted(text, "UTF-8", text_at(arguments, 1), 0)));
}

Result textdecodebase64(const List& arguments) {
  const std::optional<std::string> bytes = from_base64(text_at(arguments, 0));
  if (!bytes) throw ArgumentError(0, "is not Base64");
  return Value(converted(*bytes, text_at(arguments, 1), "UTF-8", 0));
}

Result jsonencode(const List& arguments) {
  std::string text = to_json(arguments[0]);
  spend_text(text.size());
  return Value(std::move(text));
}

Result jsondecode(const List& arguments) {
  spend(text_at(arguments, 0).size() / 4);
  return from_json(text_at(arguments, 0));
}

Result urlencode(const List& arguments) {
  std::string out;
  for (const char c : text_at(arguments, 0)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view("-_.~").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += c == ' ' ? "+" : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return Value(std::move(out));
}

// Reads CSV (RFC 4180) record by record. Empty lines are skipped.
class CsvReader {
 public:
  explicit CsvReader(const std::string& given) : text_(given) {
    for (size_t at = text_.find("\r\n"); at != std::string::npos; at = text_.find("\r\n", at)) {
      text_.erase(at, 1);
    }
  }

  bool next(std::vector<std::string>& record) {
    while (at_ < text_.size() && text_[at_] == '\n') skip_line();
    if (at_ >= text_.size()) return false;
    record.clear();
    do record.push_back(field());
    while (at_ < text_.size() && text_[at_++] == ',');
    ++line_;
    return true;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw ArgumentError(0, fmt::format("at line {}: {}", line_, what));
  }

 private:
  void skip_line() {
    ++at_;
    ++line_;
  }

  std::string field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    const size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string field = text_.substr(at_, end - at_);
    if (field.find('"') != std::string::npos) fail("a quote in an unquoted field");
    at_ = end;
    return field;
  }

  std::string quoted() {
    std::string field;
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) fail("an unclosed quote");
      if (text_[at_] == '"' && text_.compare(at_, 2, "\"\"") != 0) break;
      if (text_[at_] == '"') ++at_;
      field += text_[at_];
    }
    ++at_;
    if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
      fail("text after the closing quote of a field");
    }
    return field;
  }

  std::string text_;
  size_t at_ = 0;
  size_t line_ = 1;
};

Result csvdecode(const List& arguments) {
  spend(text_at(arguments, 0).size() / 4);
  CsvReader reader(text_at(arguments, 0));
  std::vector<std::string> names;
  if (!reader.next(names)) throw ArgumentError(0, "has no header line");
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      reader.fail(fmt::format("two columns are named `{}`", names[i]));
    }
  }
  List out;
  std::vector<std::string> record;
  while (reader.next(record)) {
    if (record.size() != names.size()) {
      reader.fail(fmt::format("{} fields, but the header has {}", record.size(), names.size()));
    }
    Object row;
    for (size_t i = 0; i < names.size(); ++i) row.insert_or_assign(names[i], record[i]);
    out.emplace_back(std::move(row));
  }
  return list_value(std::move(out));
}

constexpr std::array encoding_table = std::to_array<Function>({
    {"base64decode", "string", base64decode},
    {"base64encode", "string", base64encode},
    {"csvdecode", "string", csvdecode},
    {"jsondecode", "string", jsondecode},
    {"jsonencode", "any|null", jsonencode},
    {"textdecodebase64", "string, string", textdecodebase64},
    {"textencodebase64", "string, string", textencodebase64},
    {"urlencode", "string", urlencode},
});

}  // namespace

std::span<const Function> encoding_functions() {
  return encoding_table;
}

}  // namespace slipway::expression
