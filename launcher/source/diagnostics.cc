// Collects and sorts diagnostics.
#include "launcher/source/diagnostics.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "common/text.h"

namespace slipway::source {
namespace {

constexpr size_t shortest_beginning = 3;  // fewer letters begin too many words

}  // namespace

Diagnostic& Diagnostic::other(Span place, std::string label) {
  other_span = place;
  other_label = std::move(label);
  return *this;
}

Diagnostic& Diagnostic::help(std::string text) {
  if (!text.empty()) helps.push_back(std::move(text));
  return *this;
}

Diagnostic& Diagnostic::help_choose(std::string_view typed, std::span<const std::string> possible) {
  std::string meant = did_you_mean(typed, possible);
  if (meant.empty() && typed.size() >= shortest_beginning) {
    // `gvnic` for `gvnic_enabled`, if only one begins so.
    const auto begins = [&](const std::string& one) { return one.starts_with(typed); };
    const auto found = std::ranges::find_if(possible, begins);
    if (std::ranges::count_if(possible, begins) == 1) {
      meant = fmt::format("did you mean `{}`?", *found);
    }
  }
  return help(std::move(meant)).help("use one of: " + slipway::join(possible, ", "));
}

Diagnostic& Diagnostics::error(Code code, Span span, std::string message) {
  return keep({Severity::error, code, span, std::move(message), {}, {}, {}}, errors_);
}

Diagnostic& Diagnostics::warning(Code code, Span span, std::string message) {
  return keep({Severity::warning, code, span, std::move(message), {}, {}, {}}, warnings_);
}

void Diagnostics::add(const Diagnostics& others) {
  for (const Diagnostic& other : others.all_) {
    keep(other, other.severity == Severity::error ? errors_ : warnings_);
  }
}

Diagnostic& Diagnostics::keep(Diagnostic diagnostic, size_t& count) {
  constexpr size_t enough = 1000;
  if (++count > enough) return dropped_ = std::move(diagnostic);
  return all_.emplace_back(std::move(diagnostic));
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
