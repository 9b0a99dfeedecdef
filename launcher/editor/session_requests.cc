// A session of the language server: questions about a place in a text.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "launcher/blueprint/names.h"
#include "launcher/editor/completion.h"
#include "launcher/editor/format.h"
#include "launcher/editor/hover.h"
#include "launcher/editor/names.h"
#include "launcher/editor/session.h"

namespace slipway::editor {
namespace {

// A text as the YAML reader sees it; without a tree if it is not YAML.
struct Reading {
  Reading(const std::string& path, const std::string& text) {
    file = sources.add(path, text);
    mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    root = source::read_yaml(file, sources, diagnostics);
    if (root) names = find_names(*root, sources);
  }
  size_t offset(uint32_t place) const { return place - file.begin + mark; }
  Range range(source::Span span, const Document& document) const {
    return document.range(offset(span.begin), offset(span.end));
  }
  // The name at an offset of the text, also right after its last character.
  const Occurrence* name_at(size_t at) const {
    const auto found = std::ranges::find_if(names, [&](const Occurrence& one) {
      return offset(one.span.begin) <= at && at <= offset(one.span.end);
    });
    return found == names.end() ? nullptr : &*found;
  }

  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  source::Span file;
  size_t mark = 0;
  std::optional<source::Node> root;
  std::vector<Occurrence> names;
};

bool same_name(const Occurrence& a, const Occurrence& b) {
  return a.kind == b.kind && a.name == b.name;
}

std::string uri_in(const Json& params) {
  return string_member(member(params, "textDocument"), "uri");
}

}  // namespace

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

Json Session::definition(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const OpenFile* file = file_of(params);
  if (file == nullptr) return nullptr;
  const Reading reading(path_of(uri_in(params)), file->document.text());
  const Occurrence* name = reading.name_at(file->document.offset(position));
  if (name == nullptr) return nullptr;
  for (const Occurrence& one : reading.names) {
    if (one.is_definition && same_name(one, *name)) {
      return {{"uri", uri_in(params)}, {"range", to_json(reading.range(one.span, file->document))}};
    }
  }
  return nullptr;
}

Json Session::prepare_rename(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const OpenFile* file = file_of(params);
  if (file == nullptr) return nullptr;
  const Reading reading(path_of(uri_in(params)), file->document.text());
  const Occurrence* name = reading.name_at(file->document.offset(position));
  return name == nullptr ? Json() : to_json(reading.range(name->span, file->document));
}

Json Session::rename(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const std::string to = string_member(params, "newName");
  const OpenFile* file = file_of(params);
  if (file == nullptr) throw Error("the file is not open");
  const std::string path = path_of(uri_in(params));
  const Reading reading(path, file->document.text());
  if (!reading.root) throw Error("the file is not valid YAML");
  const Occurrence* name = reading.name_at(file->document.offset(position));
  if (name == nullptr) throw Error("there is no module, variable or group to rename");
  const bool is_good =
      name->kind == NameKind::group ? blueprint::is_group_name(to) : blueprint::is_module_id(to);
  if (!is_good)
    throw ProtocolError(ErrorCode::invalid_params, fmt::format("`{}` cannot be a name", to));
  const auto takes = [&](const Occurrence& one) {
    return one.kind == name->kind && one.name == to;
  };
  if (to != name->name && std::ranges::any_of(reading.names, takes)) {
    throw Error(fmt::format("there is another `{}`", to));
  }
  if (name->kind == NameKind::variable && to != name->name) {
    const auto settings = services_.set_by_name(path, file->document.text(), name->name);
    if (!settings.empty()) {
      throw Error(fmt::format("`vars.{}` sets `{}` by its name; write the setting out first",
                              name->name, settings[0]));
    }
  }
  Json edits = Json::array();
  for (const Occurrence& one : reading.names) {
    if (!same_name(one, *name)) continue;
    edits.push_back({{"range", to_json(reading.range(one.span, file->document))}, {"newText", to}});
  }
  return {{"changes", {{uri_in(params), std::move(edits)}}}};
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
