// Places and diagnostics as JSON.
#include "launcher/source/json.h"

#include <nlohmann/json.hpp>

#include "launcher/source/warning_codes.h"

namespace slipway::source {
namespace {

using Json = nlohmann::ordered_json;

Json one(const Diagnostic& diagnostic, const Sources& sources) {
  Json others = Json::array();
  if (diagnostic.other_span) {
    others.push_back(
        {{"label", diagnostic.other_label}, {"place", to_json(diagnostic.other_span, sources)}});
  }
  return {{"code", shown_code(diagnostic)},
          {"severity", diagnostic.severity == Severity::error ? "error" : "warning"},
          {"message", diagnostic.message},
          {"place", to_json(diagnostic.span, sources)},
          {"others", std::move(others)},
          {"help", diagnostic.helps}};
}

}  // namespace

Json to_json(Span span, const Sources& sources) {
  if (!span) return nullptr;
  const Place begin = sources.place(span.begin);
  const Place end = sources.place(span.end);
  return {{"file", begin.file},       {"line", begin.line},       {"column", begin.column},
          {"end_line", end.line},     {"end_column", end.column}, {"begin_byte", begin.file_byte},
          {"end_byte", end.file_byte}};
}

Json to_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  size_t errors = 0;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    errors += diagnostic.severity == Severity::error ? 1 : 0;
    list.push_back(one(diagnostic, diagnostics.sources()));
  }
  return {{"schema", "slipway/diagnostics/1"},
          {"errors", errors},
          {"warnings", list.size() - errors},
          {"diagnostics", std::move(list)}};
}

std::string to_json_text(const Diagnostics& diagnostics) {
  return to_json(diagnostics).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json_line(const Diagnostics& diagnostics) {
  return to_json(diagnostics).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace slipway::source
