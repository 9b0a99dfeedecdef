// Diagnostics, collected.
#include "launcher/source/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "common/text.h"

namespace slipway::source {

Diagnostic& Diagnostic::other(Span place, std::string label) {
  other_span = place;
  other_label = std::move(label);
  return *this;
}

Diagnostic& Diagnostic::help(std::string text) {
  if (!text.empty()) helps.push_back(std::move(text));
  return *this;
}

Diagnostic& Diagnostics::error(Code code, Span span, std::string message) {
  ++errors_;
  all_.push_back({Severity::error, code, span, std::move(message), {}, {}, {}});
  return all_.back();
}

Diagnostic& Diagnostics::warning(Code code, Span span, std::string message) {
  all_.push_back({Severity::warning, code, span, std::move(message), {}, {}, {}});
  return all_.back();
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  const auto key = [](const Diagnostic& d) { return std::tie(d.span.begin, d.code, d.message); };
  std::vector<Diagnostic> sorted = all_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end(),
                           [&](const auto& a, const auto& b) { return key(a) == key(b); }),
               sorted.end());
  return sorted;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates) {
  const std::string guess = nearest(typed, candidates);
  return guess.empty() ? guess : fmt::format("did you mean `{}`?", guess);
}

}  // namespace slipway::source
