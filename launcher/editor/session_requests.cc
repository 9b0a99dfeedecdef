// A session of the language server: questions about a place in a text.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "launcher/editor/completion.h"
#include "launcher/editor/format.h"
#include "launcher/editor/hover.h"
#include "launcher/editor/session.h"

namespace slipway::editor {

std::string Session::uri_in(const Json& params) {
  return string_member(member(params, "textDocument"), "uri");
}

const Session::OpenFile* Session::file_of(const Json& params) const {
  const auto found = files_.find(uri_in(params));
  return found == files_.end() || found->second.too_large ? nullptr : &found->second;
}

Json Session::completion(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const OpenFile* file = file_of(params);
  if (file == nullptr) return nullptr;
  source::Sources sources;
  source::Diagnostics ignored(sources);
  modules::Library library(services_.library, sources);
  library.skip_bodies();
  library.look_from(std::filesystem::path(path_of(uri_in(params))).parent_path());
  const Completion found = complete(file->document, position, library, ignored);
  Json items = Json::array();
  for (const Candidate& one : found.candidates) {
    Json item{{"label", one.text},
              {"kind", static_cast<int>(one.kind)},
              {"textEdit", {{"range", to_json(found.range)}, {"newText", one.text}}}};
    if (!one.detail.empty()) item["detail"] = one.detail;
    if (!one.help.empty()) {
      item["documentation"] = {{"kind", "plaintext"}, {"value", one.help}};
    }
    items.push_back(std::move(item));
  }
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}

Json Session::hover(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const OpenFile* file = file_of(params);
  if (file == nullptr) return nullptr;
  const std::string text =
      hover_text(path_of(uri_in(params)), file->document, position, services_) +
      pages_at(uri_in(params), position);
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}};
}

// The pages of the diagnostics at this place.
std::string Session::pages_at(const std::string& uri, Position position) {
  if (unchecked_.contains(uri)) check(uri);
  const OpenFile& file = files_.at(uri);
  const size_t at = file.document.offset(position);
  std::set<std::string> codes;
  for (const Json& one : file.diagnostics) {
    const Range range = range_of(one["range"]);
    const bool is_here =
        file.document.offset(range.start) <= at && at <= file.document.offset(range.end);
    if (is_here && one.contains("code")) codes.insert(one["code"].get<std::string>());
  }
  std::string text;
  for (const std::string& code : codes) text += services_.page(code);
  return text;
}

Json Session::formatting(const Json& params) {
  const OpenFile* file = file_of(params);
  if (file == nullptr) return nullptr;
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const std::string& text = file->document.text();
  const source::Span span = sources.add("", text);
  auto formatted = format_yaml(span, sources, diagnostics);
  if (!formatted) return nullptr;  // its mistakes are shown already
  if (text.starts_with("\xEF\xBB\xBF")) formatted->insert(0, "\xEF\xBB\xBF");
  if (*formatted == text) return Json::array();
  return Json::array({{{"range", to_json(file->document.whole())}, {"newText", *formatted}}});
}

}  // namespace slipway::editor
