// Diagnostics: errors and warnings about the user's input, collected so that one run shows them
// all.
//
//   diagnostics.error(Code::unknown_setting, span, "module `homefs` has no setting `local_muont`")
//       .help("did you mean `local_mount`?");
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/codes.h"
#include "launcher/source/sources.h"

namespace slipway::source {

enum class Severity { warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  Code code{};
  Span span;  // may be empty
  std::string message;
  Span other_span;          // a second place, such as the declaration; may be empty
  std::string other_label;  // "declared here"
  std::vector<std::string> helps;

  Diagnostic& other(Span place, std::string label);
  Diagnostic& help(std::string text);  // an empty text is ignored
  // Which of the values that are possible was meant, and all of them.
  Diagnostic& help_choose(std::string_view typed, std::span<const std::string> possible);
};

class Diagnostics {
 public:
  explicit Diagnostics(const Sources& sources) : sources_(&sources) {}

  // The reference is valid until the next call. Only the first thousand of each severity are kept:
  // more than that usually have one cause.
  Diagnostic& error(Code code, Span span, std::string message);
  Diagnostic& warning(Code code, Span span, std::string message);
  void add(const Diagnostics& others);  // must refer to the same sources

  // In source order, whichever phase found them, without duplicates.
  std::vector<Diagnostic> sorted() const;

  size_t errors() const { return errors_; }
  size_t warnings() const { return warnings_; }
  const Sources& sources() const { return *sources_; }

 private:
  Diagnostic& keep(Diagnostic diagnostic, size_t& count);

  const Sources* sources_;
  std::vector<Diagnostic> all_;
  Diagnostic dropped_;  // the latest one past the limit
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

enum class Color { never, always };

// Uses color if `fd` is a terminal and NO_COLOR is not set (https://no-color.org).
Color color_for(int fd);

// The diagnostic as text, with the source line and a caret. Ends with a line feed.
std::string render(const Diagnostic& diagnostic, const Sources& sources,
                   Color color = Color::never);

// The first fifty, separated by empty lines, and the number of further ones. Empty without
// diagnostics.
std::string render(const Diagnostics& diagnostics, Color color = Color::never);

// "did you mean `x`?", or "" if no candidate is similar enough.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

}  // namespace slipway::source
