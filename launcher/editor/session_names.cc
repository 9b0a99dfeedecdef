// A session of the language server: the definitions of names, and renaming them, over all files of
// a blueprint.
#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "common/error.h"
#include "common/file.h"
#include "launcher/blueprint/names.h"
#include "launcher/editor/session.h"
#include "launcher/source/input_limit.h"

namespace slipway::editor {
namespace {

constexpr size_t related_limit = 64;  // files of one blueprint

bool same_name(const Occurrence& a, const Occurrence& b) {
  return a.kind == b.kind && a.name == b.name;
}

bool has_definition(const Reading& reading, const Occurrence& name) {
  return std::ranges::any_of(reading.names, [&](const Occurrence& one) {
    return one.is_definition && same_name(one, name);
  });
}

}  // namespace

// The text of the editor or, if it has not opened the file, of the disk; null without one.
std::unique_ptr<Reading> Session::read(const std::string& uri) const {
  if (const auto open = files_.find(uri); open != files_.end()) {
    return open->second.too_large ? nullptr : std::make_unique<Reading>(uri, open->second.document);
  }
  try {
    const std::string text = read_regular_file(path_of(uri), source::max_input_bytes);
    return std::make_unique<Reading>(uri, Document(text, encoding_));
  } catch (const slipway::Error&) {
    return nullptr;  // the check reports it
  }
}

// Editors write some characters of a URI in another way than uri_of().
std::string Session::open_uri(const std::string& uri) const {
  const std::string path = path_of(uri);
  const auto open =
      std::ranges::find_if(files_, [&](const auto& one) { return path_of(one.first) == path; });
  return open == files_.end() ? uri : open->first;
}

// The file, and those that it includes, directly or not.
Session::Readings Session::with_includes(const std::string& uri) const {
  Readings found;
  std::deque<std::string> next{uri};
  for (; !next.empty() && found.size() < related_limit; next.pop_front()) {
    if (found.contains(next.front())) continue;
    auto reading = read(next.front());
    if (!reading) continue;
    for (const std::string& include : reading->includes) next.push_back(open_uri(include));
    found.emplace(next.front(), std::move(reading));
  }
  return found;
}

// The files of the blueprint that the file is part of, as far as the editor has them open or they
// are included.
Session::Readings Session::related(const std::string& uri) const {
  Readings found = with_includes(uri);
  for (const auto& [other, file] : files_) {
    if (found.contains(other) || file.document.text().find("include") == std::string::npos)
      continue;
    Readings more = with_includes(other);
    if (more.contains(uri)) found.merge(more);
  }
  return found;
}

Json Session::definition(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const std::string uri = uri_in(params);
  const OpenFile* file = file_of(params);
  if (file == nullptr) return nullptr;
  const Readings readings = related(uri);
  const Reading& here = *readings.at(uri);
  const Occurrence* name = here.name_at(file->document.offset(position));
  if (name == nullptr) return nullptr;
  const auto place_in = [&](const Reading& reading) -> Json {
    for (const Occurrence& one : reading.names) {
      if (!one.is_definition || !same_name(one, *name)) continue;
      return {{"uri", reading.uri}, {"range", to_json(reading.range(one.span))}};
    }
    return nullptr;
  };
  if (has_definition(here, *name)) return place_in(here);
  for (const auto& [other, reading] : readings) {
    if (Json place = place_in(*reading); !place.is_null()) return place;
  }
  return nullptr;
}

Json Session::prepare_rename(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const OpenFile* file = file_of(params);
  if (file == nullptr) return nullptr;
  const Reading reading(uri_in(params), file->document);
  const Occurrence* name = reading.name_at(file->document.offset(position));
  return name == nullptr ? Json() : to_json(reading.range(name->span));
}

// Throws if the new name is wrong or taken.
void Session::check_rename(const Readings& readings, const Occurrence& name,
                           const std::string& to) const {
  const bool is_good =
      name.kind == NameKind::group ? blueprint::is_group_name(to) : blueprint::is_module_id(to);
  if (!is_good)
    throw ProtocolError(ErrorCode::invalid_params, fmt::format("`{}` cannot be a name", to));
  if (to == name.name) return;
  for (const auto& [uri, reading] : readings) {
    const bool is_taken = std::ranges::any_of(reading->names, [&](const Occurrence& one) {
      return one.kind == name.kind && one.name == to;
    });
    if (is_taken) throw Error(fmt::format("there is another `{}`", to));
    if (name.kind != NameKind::variable) continue;
    const auto settings = services_.set_by_name(path_of(uri), reading->document.text(), name.name);
    if (!settings.empty()) {
      throw Error(fmt::format("`vars.{}` sets `{}` by its name; write the setting out first",
                              name.name, settings[0]));
    }
  }
}

Json Session::rename(const Json& params) {
  const Position position = position_of(member(params, "position"));
  const std::string to = string_member(params, "newName");
  const OpenFile* file = file_of(params);
  if (file == nullptr) throw Error("the file is not open");
  const std::string uri = uri_in(params);
  const Readings readings = related(uri);
  const Reading& here = *readings.at(uri);
  if (!here.root) throw Error("the file is not valid YAML");
  const Occurrence* name = here.name_at(file->document.offset(position));
  if (name == nullptr) throw Error("there is no module, variable or group to rename");
  check_rename(readings, *name, to);
  Json changes = Json::object();
  for (const auto& [other, reading] : readings) {
    if (!reading->root) throw Error(fmt::format("{} is not valid YAML", path_of(other)));
    for (const Occurrence& one : reading->names) {
      if (!same_name(one, *name)) continue;
      changes[other].push_back({{"range", to_json(reading->range(one.span))}, {"newText", to}});
    }
  }
  return {{"changes", std::move(changes)}};
}

}  // namespace slipway::editor
