// Diagnostics: what is wrong with the user's input. Collected, so that one run shows all of them.
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
  Span span;  // may be no place
  std::string message;
  Span other_span;          // a second place, e.g. the declaration; may be no place
  std::string other_label;  // "declared here"
  std::vector<std::string> helps;

  Diagnostic& other(Span place, std::string label);
  Diagnostic& help(std::string text);  // an empty text adds nothing
};

class Diagnostics {
 public:
  explicit Diagnostics(const Sources& sources) : sources_(&sources) {}

  // The reference is good until the next call. Of each severity the first thousand are kept: who
  // makes more mistakes has made one that we do not understand.
  Diagnostic& error(Code code, Span span, std::string message);
  Diagnostic& warning(Code code, Span span, std::string message);
  void add(const Diagnostics& others);  // of the same sources

  // In the order of the sources, whatever phase found them; the same finding once.
  std::vector<Diagnostic> sorted() const;

  size_t errors() const { return errors_; }
  size_t warnings() const { return warnings_; }
  const Sources& sources() const { return *sources_; }

 private:
  Diagnostic& keep(Diagnostic diagnostic, size_t& count);

  const Sources* sources_;
  std::vector<Diagnostic> all_;
  Diagnostic dropped_;  // the latest that is not kept
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

enum class Colour { never, always };

// Colour when `fd` is a terminal and NO_COLOR is not set (https://no-color.org).
Colour colour_for(int fd);

// The diagnostic as text, with the source line and a caret; ends with a line feed.
std::string render(const Diagnostic& diagnostic, const Sources& sources,
                   Colour colour = Colour::never);

// The first fifty, with an empty line between, and how many more there are; empty when there is
// none.
std::string render(const Diagnostics& diagnostics, Colour colour = Colour::never);

// "did you mean `x`?", or "" when nothing among the candidates is near enough.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

}  // namespace slipway::source
