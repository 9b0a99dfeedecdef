// Reads one mapping of a manifest.
#include "launcher/pods/fields.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::pods {

const source::Node* Fields::find(std::string_view key) {
  read_.emplace_back(key);
  return node_ == nullptr ? nullptr : node_->find(key);
}

std::string Fields::text(std::string_view key) {
  const source::Node* const found = find(key);
  return found != nullptr && found->is_scalar() ? found->text : "";
}

int64_t Fields::number(std::string_view key, int64_t otherwise) {
  return to_number<int64_t>(text(key)).value_or(otherwise);
}

bool Fields::truth(std::string_view key) {
  return text(key) == "true";
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> made;
  if (const source::Node* const list = find(key)) {
    for (const source::Node& item : list->items) made.push_back(item.text);
  }
  return made;
}

void Fields::each(std::string_view key, const std::function<void(Fields&)>& read) {
  const source::Node* const list = find(key);
  if (list == nullptr) return;
  for (const source::Node& item : list->items) {
    Fields fields(&item, diagnostics_);
    read(fields);
    fields.finish();
  }
}

Fields Fields::at(std::string_view key) {
  return Fields(find(key), diagnostics_);
}

void Fields::ignore(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) read_.emplace_back(key);
}

void Fields::finish() {
  if (node_ == nullptr) return;
  for (const source::Entry& entry : node_->entries) {
    if (std::ranges::find(read_, entry.key) != read_.end()) continue;
    diagnostics_
        .error(source::Code::no_equivalent, entry.key_span,
               fmt::format("`slipway job run` does not know `{}`", entry.key))
        .help(
            "the guide on job scripts lists what it knows of JobSets; for the rest, use a cluster");
  }
}

}  // namespace slipway::pods
