// Reads the manifests that modules apply.
#include "launcher/kubernetes/manifests.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "common/error.h"
#include "launcher/expression/evaluate.h"
#include "launcher/kubernetes/manifest_place.h"
#include "launcher/kubernetes/manifest_text.h"
#include "launcher/kubernetes/template_variables.h"

namespace slipway::kubernetes {
namespace {

namespace fs = std::filesystem;

using blueprint::Module;
using expression::Value;
using source::Code;
using source::Node;
using source::Span;

// A value of a manifest setting, and where the blueprint has it.
struct Entry {
  const Module& module;
  const ManifestSetting& setting;
  const Value& value;
  std::optional<size_t> index;  // in a list
};

const Value* member(const Value& value, const std::string& name) {
  const auto* object = value.as<Value::Object>();
  if (object == nullptr || name.empty()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() || found->second.is_null() ? nullptr : &found->second;
}

class ManifestReader {
 public:
  ManifestReader(blueprint::Evaluation& evaluation, source::Sources& sources,
                 source::Diagnostics& diagnostics)
      : evaluation_(evaluation), sources_(sources), diagnostics_(diagnostics) {}

  Manifests run(const Table& table) {
    for (const blueprint::Group& group : evaluation_.deployment().groups) {
      for (const Module& module : group.modules) {
        if (module.interface == nullptr) continue;
        for (const ManifestSetting& setting : table.manifests) {
          if (setting.module == module.interface->path) read(module, setting);
        }
      }
    }
    return std::move(manifests_);
  }

 private:
  void read(const Module& module, const ManifestSetting& setting) {
    if (!module.settings.contains(setting.setting)) return;
    const Value& value = evaluation_.input(module, setting.setting);
    if (!setting.list) return read(Entry{module, setting, value, std::nullopt});
    const auto* list = value.as<Value::List>();
    if (list == nullptr) {
      manifests_.complete = manifests_.complete && !value.is_unknown();
      return;
    }
    for (size_t i = 0; i < list->size(); ++i) read(Entry{module, setting, (*list)[i], i});
  }

  void read(const Entry& entry) {
    if (entry.value.is_unknown()) manifests_.complete = false;
    const Value* enabled = member(entry.value, entry.setting.enabled);
    if (enabled != nullptr && *enabled == Value(false)) return;
    const Value* space = member(entry.value, entry.setting.space);
    const auto* name = space == nullptr ? nullptr : space->as<std::string>();
    space_ = name == nullptr ? entry.setting.default_space : *name;
    const Value* path = member(entry.value, entry.setting.path);
    const Value* content = member(entry.value, entry.setting.content);
    if (path != nullptr) {
      if (content != nullptr) no_effect(entry, entry.setting.content, entry.setting.path);
      from_path(entry, *path);
    } else if (content != nullptr) {
      if (member(entry.value, entry.setting.variables) != nullptr) {
        no_effect(entry, entry.setting.variables, entry.setting.content);
      }
      from_content(entry, *content);
    }
  }

  // The module takes a file instead of a text, and applies a text unchanged.
  void no_effect(const Entry& entry, const std::string& name, const std::string& beside) {
    diagnostics_.warning(Code::rule_broken, span_of(entry, name),
                         fmt::format("`{}` of a manifest has no effect beside `{}`", name, beside));
  }

  void from_path(const Entry& entry, const Value& value) {
    const auto* path = value.as<std::string>();
    if (path == nullptr) return skip(entry, "its path is known after deployment");
    if (path->empty()) return;
    if (path->starts_with("https://") || path->starts_with("http://")) return skip(entry, *path);
    const fs::path place = place_on_this_machine(*path, evaluation_.deployment());
    std::error_code error;
    if (fs::is_directory(place, error)) return from_folder(entry, place);
    if (fs::is_regular_file(place, error)) {
      const Value* variables = member(entry.value, entry.setting.variables);
      const auto* given = variables == nullptr ? nullptr : variables->as<Value::Object>();
      return from_file(entry, place, given != nullptr && !given->empty());
    }
    manifests_.complete = false;
    const bool is_staged = path->starts_with("../.ghpc/") || path->find("modules/") == 0;
    if (is_staged || path->starts_with("../_modules/")) return skip(entry, *path);
    diagnostics_
        .warning(Code::no_such_file, span_of(entry, entry.setting.path),
                 fmt::format("there is no file `{}`", *path))
        .help("name a manifest with ghpc_stage(\"PATH\") or an absolute path");
  }

  // Terraform's fileset() in the module: files of these names, without those of inner folders.
  void from_folder(const Entry& entry, const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      const fs::path name = at->path().extension();
      if (name == ".yaml" || name == ".yml" || name == ".tftpl") files.push_back(at->path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) from_file(entry, file, false);
  }

  void from_file(const Entry& entry, const fs::path& file, bool has_variables) {
    const auto [known, is_new] = files_.try_emplace(file, space_, Span());
    auto& [space, span] = known->second;
    if (space != space_) manifests_.complete = false;  // its objects are in another one, too
    try {
      if (!span) span = sources_.add_file(file);
      const ManifestText manifest{std::string(sources_.text(span)), {}, span, false};
      if (has_variables || file.extension() == ".tftpl") variables_of(entry, manifest);
      if (is_new) objects(manifest);
    } catch (const Error& problem) {
      manifests_.complete = false;
      manifests_.not_read.push_back(problem.what());
    }
  }

  void variables_of(const Entry& entry, const ManifestText& manifest) {
    const Value* given = member(entry.value, entry.setting.variables);
    if (given != nullptr && given->as<Value::Object>() == nullptr) return;  // not known yet
    std::vector<std::string> names;
    if (given != nullptr) {
      for (const auto& [name, value] : *given->as<Value::Object>()) names.push_back(name);
    }
    check_variables(manifest, names, entry.setting.variables, diagnostics_);
  }

  void from_content(const Entry& entry, const Value& value) {
    const auto written = written_member(entry.module.settings.at(entry.setting.setting).value,
                                        entry.index, entry.setting.content);
    const bool is_text = written != nullptr && (written->as<expression::Literal>() != nullptr ||
                                                written->as<expression::Template>() != nullptr);
    if (is_text) {
      if (const auto text = text_in_blueprint(written->span, sources_, roots_))
        return objects(*text);
    }
    const auto* text = value.as<std::string>();
    if (text == nullptr) return skip(entry, "its text is known after deployment");
    const std::string name = fmt::format("{} of {}", entry.setting.content, entry.module.id);
    objects({*text, {}, sources_.add(name, *text), false});
  }

  void objects(const ManifestText& manifest) {
    for (Document& document : read_documents(manifest, sources_, diagnostics_)) {
      add(std::move(document));
    }
  }

  void add(Document document) {
    const Node& root = document.root;
    if (root.is_scalar() && (root.is_null() || is_unknown(root.text))) {
      if (document.open || !root.is_null()) manifests_.complete = false;  // it may be any object
      return;
    }
    if (!root.is_mapping()) {
      diagnostics_.error(
          Code::wrong_shape, root.span,
          fmt::format("a Kubernetes object must be a mapping, not {}", source::describe(root)));
      return;
    }
    Object object{text_at(root, "apiVersion"), text_at(root, "kind"), "", space_, {}, false};
    if (object.kind == "List") return add_items(document);
    if (const Node* metadata = root.find("metadata")) {
      object.name = text_at(*metadata, "name");
      if (const std::string space = text_at(*metadata, "namespace"); !space.empty()) {
        object.space = space;
      }
    }
    object.open = document.open;
    object.root = std::move(document.root);
    if (has_identity(object)) manifests_.objects.push_back(std::move(object));
  }

  void add_items(const Document& list) {
    const Node* items = list.root.find("items");
    if (items == nullptr) return;
    for (const Node& item : items->items) add({item, list.open});
  }

  // Reports an object without the fields that say what it is.
  bool has_identity(const Object& object) {
    for (const char* field : {"apiVersion", "kind"}) {
      const std::string text = text_at(object.root, field);
      if (!text.empty()) continue;
      if (object.open) {
        manifests_.complete = false;
        return false;
      }
      const Span place =
          object.root.entries.empty() ? object.root.span : object.root.entries.front().key_span;
      diagnostics_.error(Code::missing_key, place,
                         fmt::format("a Kubernetes object needs `{}`", field));
      return false;
    }
    const bool known = !is_unknown(object.kind) && !is_unknown(object.api);
    if (!known) manifests_.complete = false;
    return known;
  }

  void skip(const Entry& entry, const std::string& what) {
    manifests_.complete = false;
    const std::string line =
        fmt::format("a manifest of `{}` is not checked: {}", entry.module.id, what);
    auto& lines = manifests_.not_read;
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }

  static Span span_of(const Entry& entry, const std::string& name) {
    const blueprint::Setting& setting = entry.module.settings.at(entry.setting.setting);
    const auto written = written_member(setting.value, entry.index, name);
    return written != nullptr && written->span ? written->span : setting.span;
  }

  blueprint::Evaluation& evaluation_;
  source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Manifests manifests_;
  std::map<fs::path, std::pair<std::string, Span>> files_;  // with their first namespace
  Roots roots_;
  std::string space_;  // of objects that do not say their namespace
};

}  // namespace

Manifests read_manifests(blueprint::Evaluation& evaluation, const Table& table,
                         source::Sources& sources, source::Diagnostics& diagnostics) {
  return ManifestReader(evaluation, sources, diagnostics).run(table);
}

}  // namespace slipway::kubernetes
