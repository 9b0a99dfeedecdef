// Formats YAML, and makes sure that it still means the same.
#include "launcher/editor/format.h"

#include <algorithm>

#include "launcher/editor/layout.h"
#include "launcher/source/yaml.h"
#include "launcher/source/yaml_events.h"

namespace slipway::editor {
namespace {

using source::Sources;
using source::Span;
using source::YamlEvent;
using source::YamlEventKind;
using source::YamlEvents;

bool same_event(const YamlEvent& a, const YamlEvent& b) {
  return a.kind == b.kind && a.style == b.style && a.bracketed == b.bracketed && a.text == b.text &&
         a.tag == b.tag && a.anchor == b.anchor;
}

bool same_events(Span a, Span b, const Sources& sources) {
  YamlEvents first(a, sources);
  YamlEvents second(b, sources);
  for (;;) {
    const YamlEvent event = first.next();
    if (!same_event(event, second.next())) return false;
    if (event.kind == YamlEventKind::stream_end) return true;
  }
}

std::string without_white_space(std::string_view text) {
  std::string rest;
  rest.reserve(text.size());
  std::ranges::copy_if(text, std::back_inserter(rest),
                       [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
  return rest;
}

}  // namespace

bool means_the_same(Span a, Span b, const Sources& sources) {
  try {
    return without_white_space(sources.text(a)) == without_white_space(sources.text(b)) &&
           same_events(a, b, sources);
  } catch (const source::YamlProblem&) {
    return false;
  }
}

std::string laid_out(Span file, const Sources& sources) {
  const std::string_view text = sources.text(file);
  // A byte order mark in the text would lose its meaning as text if it came to be at the beginning.
  if (text.find("\xEF\xBB\xBF", 1) != text.npos) return std::string(text);
  Layout layout(text, file.begin);
  YamlEvents events(file, sources);
  for (;;) {
    const YamlEvent event = events.next();
    layout.take(event);
    if (event.kind == YamlEventKind::stream_end) return layout.text();
  }
}

std::optional<std::string> format_yaml(Span file, const Sources& sources,
                                       source::Diagnostics& diagnostics) {
  const size_t errors = diagnostics.errors();
  if (!source::read_yaml(file, sources, diagnostics) || diagnostics.errors() > errors) {
    return std::nullopt;
  }
  const std::string before(sources.text(file));
  std::string after = laid_out(file, sources);
  if (after == before) return before;
  Sources both;
  const Span first = both.add("before", before);
  const Span second = both.add("after", after);
  return means_the_same(first, second, both) ? after : before;
}

}  // namespace slipway::editor
