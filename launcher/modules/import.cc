// Brings a module library up to a version of Cluster Toolkit.
#include "launcher/modules/import.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/modules/library.h"
#include "launcher/modules/lifetimes.h"
#include "launcher/modules/module_lines.h"
#include "launcher/modules/module_uses.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;
using ChangeKind = ModuleChange::Kind;
using ImportState = ModuleImport::State;

constexpr const char* version_file = "catalogue/toolkit.yaml";

bool is_edit(const ModuleChange& change) {
  return change.kind == ChangeKind::added || change.kind == ChangeKind::changed ||
         change.kind == ChangeKind::removed;
}

std::string with_version(std::string text, const std::string& before, const std::string& after) {
  for (size_t at = text.find(before); at != text.npos; at = text.find(before, at + after.size())) {
    text.replace(at, before.size(), after);
  }
  return text;
}

class Importer {
 public:
  Importer(const ImportFrom& from, source::Sources& sources, source::Diagnostics& diagnostics)
      : from_(from), sources_(sources), diagnostics_(diagnostics) {}

  Import plan() {
    import_.version = from_.version;
    import_.before = from_.before;
    is_older_ = compare_versions(from_.version, from_.before) < 0;
    lifetimes_ = read_imported_lifetimes(from_.library);
    std::map<std::string, const ToolkitModule*> theirs;
    for (const ToolkitModule& module : from_.checkout.modules) {
      theirs[module.interface.path] = &module;
    }
    for (const std::string& path : Library(from_.library, sources_, {}).paths()) {
      if (theirs.contains(path)) continue;
      import_.modules.push_back({path, ImportState::missing, {}});
      if (is_older_) later(lifetimes_.modules[path].after, from_.version);
    }
    for (const auto& [path, module] : theirs) take(path, *module);
    std::sort(import_.modules.begin(), import_.modules.end(),
              [](const ModuleImport& a, const ModuleImport& b) { return a.path < b.path; });
    add_lifetimes();
    if (!is_older_ && from_.version != from_.before) {
      const std::string text = read_file(from_.library / version_file);
      import_.files.emplace_back(version_file, with_version(text, from_.before, from_.version));
    }
    return std::move(import_);
  }

 private:
  void take(const std::string& path, const ToolkitModule& theirs) {
    const std::string file = path + "/module.yaml";
    std::error_code ignored;
    const bool is_known = fs::exists(from_.library / file, ignored);
    if (!is_known && is_older_) {
      later(lifetimes_.modules[path].until, from_.version);
      return import_.modules.push_back({path, ImportState::gone, {}});
    }
    if (!is_known) {
      if (from_.version != from_.before) later(lifetimes_.modules[path].after, from_.before);
      const std::string text = new_module_text(theirs, from_.version);
      read_again(path, text);
      import_.modules.push_back({path, ImportState::added, {}});
      import_.files.emplace_back(file, text);
      return;
    }
    const source::Span span = sources_.add_file(from_.library / file);
    const auto ours = read(path, span, diagnostics_);
    if (!ours) return;
    std::vector<ModuleChange> changes = record(*ours, theirs, own_inputs(span, sources_));
    if (is_older_) {
      const ImportState found = changes.empty() ? ImportState::unchanged : ImportState::changed;
      return import_.modules.push_back({path, found, std::move(changes)});
    }
    ModuleUpdate update = update_module(span, *ours, theirs, from_.version, sources_);
    const std::string before(sources_.text(span));
    const ImportState state =
        update.changes.empty() ? ImportState::unchanged : ImportState::changed;
    if (update.text != before) {
      require_done(path, update.text, theirs);
      import_.files.emplace_back(file, update.text);
    }
    import_.modules.push_back({path, state, std::move(update.changes)});
  }

  // The later one of two versions.
  static void later(std::string& version, const std::string& other) {
    if (version.empty() || compare_versions(version, other) < 0) version = other;
  }

  // Records which inputs came, and which are gone, between the older and the newer release; says
  // so only for an older one, since an update says it by itself.
  std::vector<ModuleChange> record(const Interface& ours, const ToolkitModule& theirs,
                                   const std::set<std::string>& own) {
    std::vector<ModuleChange> changes;
    if (from_.version == from_.before) return changes;
    const std::string& older = is_older_ ? from_.version : from_.before;
    std::map<std::string, Lifetime>& inputs = lifetimes_.inputs[ours.path];
    for (const Input& input : ours.inputs) {
      if (theirs.interface.input(input.name) != nullptr || own.contains(input.name)) continue;
      if (!input.gone.empty()) continue;
      later(is_older_ ? inputs[input.name].after : inputs[input.name].until, older);
      if (is_older_) changes.push_back({ChangeKind::changed, input_text(input), "came later"});
    }
    for (const Input& input : theirs.interface.inputs) {
      if (ours.input(input.name) != nullptr) continue;
      later(is_older_ ? inputs[input.name].until : inputs[input.name].after, older);
      if (is_older_) changes.push_back({ChangeKind::changed, input_text(input), "is gone since"});
    }
    return changes;
  }

  static std::string input_text(const Input& input) { return "input `" + input.name + "`"; }

  void add_lifetimes() {
    std::erase_if(lifetimes_.inputs, [](const auto& one) { return one.second.empty(); });
    const fs::path file = from_.library / imported_lifetimes_file;
    std::error_code ignored;
    const std::string text = lifetimes_text(lifetimes_);
    const bool exists = fs::exists(file, ignored);
    if (!exists && lifetimes_.inputs.empty() && lifetimes_.modules.empty()) return;
    if (!exists || read_file(file) != text) {
      import_.files.emplace_back(imported_lifetimes_file, text);
    }
  }

  std::optional<Interface> read(const std::string& path, source::Span file,
                                source::Diagnostics& diagnostics) const {
    const size_t errors = diagnostics.errors();
    const auto root = source::read_yaml(file, sources_, diagnostics);
    if (!root) return std::nullopt;
    Interface interface = read_module_file(path, *root, Bodies::read, sources_, diagnostics);
    if (diagnostics.errors() > errors) return std::nullopt;
    return interface;
  }

  std::pair<source::Span, Interface> read_again(const std::string& path, const std::string& text) {
    const source::Span file = sources_.add(path + "/module.yaml, as edited", text);
    source::Diagnostics mistakes(sources_);
    auto interface = read(path, file, mistakes);
    if (interface) return {file, *std::move(interface)};
    throw Error(fmt::format("cannot edit the module file of {}, which would become:\n{}", path,
                            trim(render(mistakes))));
  }

  // An edited file has to be what was wanted: importing it again changes nothing.
  void require_done(const std::string& path, const std::string& text, const ToolkitModule& theirs) {
    const auto [file, interface] = read_again(path, text);
    const ModuleUpdate again = update_module(file, interface, theirs, from_.version, sources_);
    const auto left = std::find_if(again.changes.begin(), again.changes.end(), is_edit);
    if (left == again.changes.end() && again.text == text) return;
    throw Error(fmt::format("cannot edit the module file of {}: {} does not take the change", path,
                            left == again.changes.end() ? "its layout" : left->what));
  }

  const ImportFrom& from_;
  source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Import import_;
  Lifetimes lifetimes_;
  bool is_older_ = false;
};

struct Kept {
  fs::path file;
  std::optional<std::string> text;  // before; nothing: there was no file
};

void restore(const std::vector<Kept>& files) {
  for (const Kept& kept : files) {
    std::error_code ignored;
    if (kept.text) {
      write_file(kept.file, *kept.text);
    } else {
      fs::remove(kept.file, ignored);
      fs::remove(kept.file.parent_path(), ignored);  // only if it is empty
    }
  }
}

}  // namespace

Import plan_import(const ImportFrom& from, source::Sources& sources,
                   source::Diagnostics& diagnostics) {
  return Importer(from, sources, diagnostics).plan();
}

void write_import(const Import& import, const fs::path& library) {
  std::vector<Kept> kept;
  for (const auto& [name, text] : import.files) {
    const fs::path file = library / name;
    try {
      std::error_code ignored;
      const bool exists = fs::exists(file, ignored);
      kept.push_back({file, exists ? std::optional(read_file(file)) : std::nullopt});
      make_directories(file.parent_path());
      write_file(file, text);
    } catch (const Error&) {
      restore(kept);
      throw;
    }
  }
}

}  // namespace slipway::modules
