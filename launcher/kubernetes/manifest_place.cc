// Finds manifests: files that blueprints stage, and text in blueprints.
#include "launcher/kubernetes/manifest_place.h"

#include <algorithm>

namespace slipway::kubernetes {
namespace {

namespace fs = std::filesystem;

using expression::Value;
using source::Node;
using source::Span;

constexpr std::string_view staged_prefix = "../.ghpc/staged/";

// The file that an offset is in.
std::optional<Span> file_around(uint32_t offset, const source::Sources& sources) {
  const source::Place place = sources.place(offset);
  // file_byte counts a byte order mark, which the text no longer has.
  for (const uint32_t mark : {0U, 3U}) {
    if (place.file_byte < mark || offset + mark <= place.file_byte) continue;
    const auto begin = static_cast<uint32_t>(offset + mark - place.file_byte);
    const source::Place first = sources.place(begin);
    if (first.file != place.file || first.file_byte != mark) continue;
    return Span{begin, begin + static_cast<uint32_t>(sources.rest(begin).size())};
  }
  return std::nullopt;
}

const Node* scalar_at(const Node& node, Span span) {
  if (node.is_scalar()) return node.span == span ? &node : nullptr;
  for (const Node& item : node.items) {
    if (const Node* found = scalar_at(item, span)) return found;
  }
  for (const source::Entry& entry : node.entries) {
    if (const Node* found = scalar_at(entry.value, span)) return found;
  }
  return nullptr;
}

}  // namespace

blueprint::ExpressionPtr written_member(const blueprint::ExpressionPtr& value,
                                        std::optional<size_t> index, const std::string& member) {
  if (value == nullptr) return nullptr;
  if (index) {
    const auto* list = value->as<expression::Tuple>();
    if (list == nullptr || *index >= list->items.size()) return nullptr;
    return written_member(list->items[*index], std::nullopt, member);
  }
  const auto* object = value->as<expression::ObjectExpression>();
  if (object == nullptr) return nullptr;
  for (const expression::ObjectItem& item : object->items) {
    const auto* key = item.key->as<expression::Literal>();
    if (key != nullptr && key->value == Value(member)) return item.value;
  }
  return nullptr;
}

fs::path place_on_this_machine(const std::string& path, const blueprint::Deployment& deployment) {
  if (path.starts_with('/')) return path;
  if (!path.starts_with(staged_prefix)) return {};
  const std::string rest = path.substr(staged_prefix.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string name = rest.substr(0, slash);
  const auto staged = std::ranges::find(deployment.staged_files, name, &blueprint::StagedFile::to);
  if (staged == deployment.staged_files.end()) return {};
  const fs::path inside =
      slash < rest.size() ? fs::path(rest.substr(slash + 1)).lexically_normal() : fs::path();
  if (inside.is_absolute() || (!inside.empty() && *inside.begin() == "..")) return {};
  return inside.empty() || inside == "." ? fs::path(staged->from) : fs::path(staged->from) / inside;
}

std::optional<ManifestText> text_in_blueprint(Span span, const source::Sources& sources,
                                              Roots& roots) {
  if (!span) return std::nullopt;
  const auto file = file_around(span.begin, sources);
  if (!file) return std::nullopt;
  const auto [root, is_new] = roots.try_emplace(file->begin);
  if (is_new) {
    source::Diagnostics reported_before(sources);
    root->second = source::read_yaml(*file, sources, reported_before);
  }
  const Node* scalar = root->second ? scalar_at(*root->second, span) : nullptr;
  if (scalar == nullptr) return std::nullopt;
  return ManifestText{scalar->text, source::text_offsets(*scalar, sources), *file, true};
}

}  // namespace slipway::kubernetes
