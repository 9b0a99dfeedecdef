// Reads a text for questions about the names in it.
#include "launcher/editor/reading.h"

#include <algorithm>
#include <filesystem>

#include "launcher/editor/protocol.h"

namespace slipway::editor {

Reading::Reading(std::string text_uri, const Document& text)
    : uri(std::move(text_uri)), document(text) {
  const std::filesystem::path path(path_of(uri));
  file = sources.add(path.string(), document.text());
  mark = document.text().starts_with("\xEF\xBB\xBF") ? 3 : 0;
  root = source::read_yaml(file, sources, diagnostics);
  if (!root) return;
  names = find_names(*root, sources);
  const source::Node* list = root->find("include");
  if (list == nullptr) return;
  const auto add = [&](const source::Node& item) {
    if (!item.is_scalar() || item.text.empty()) return;
    includes.push_back(uri_of((path.parent_path() / item.text).lexically_normal().string()));
  };
  add(*list);
  for (const source::Node& item : list->items) add(item);
}

const Occurrence* Reading::name_at(size_t at) const {
  const auto found = std::ranges::find_if(names, [&](const Occurrence& one) {
    return offset(one.span.begin) <= at && at <= offset(one.span.end);
  });
  return found == names.end() ? nullptr : &*found;
}

}  // namespace slipway::editor
