// Finds and reads the modules that a blueprint uses.
#include "launcher/modules/library.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <set>
#include <thread>

#include "common/file.h"
#include "common/text.h"
#include "launcher/modules/lifetimes.h"
#include "launcher/modules/terraform_module.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;
using source::Code;

constexpr const char* file_name = "module.yaml";

bool leaves(const fs::path& path) {
  return std::find(path.begin(), path.end(), "..") != path.end();
}

bool is_module(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / file_name, ignored) || is_terraform_module(folder);
}

// The folders in `folder` down to `depth`, each as `prefix` and its path; with `modules`, only
// those that are modules.
std::vector<std::string> folders_in(const fs::path& folder, const std::string& prefix, int depth,
                                    bool modules) {
  constexpr size_t enough = 1000;
  std::vector<std::string> found;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(folder, error);
  for (; !error && at != fs::recursive_directory_iterator() && found.size() < enough;
       at.increment(error)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    std::error_code ignored;
    if (!at->is_directory(ignored)) continue;
    if (hidden || at.depth() + 1 >= depth) at.disable_recursion_pending();
    if (hidden || (modules && !is_module(at->path()))) continue;
    found.push_back(prefix + at->path().lexically_relative(folder).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Whether `slipway migrate` has a rule for a module, as a word of the file of its rules.
bool can_be_migrated(const fs::path& library, const std::string& path) {
  const fs::path rules = library / "catalogue/migrations.yaml";
  std::error_code ignored;
  if (path.empty() || !fs::exists(rules, ignored)) return false;
  const std::string text = read_file(rules);
  return text.find("from: [" + path + "]") != text.npos;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

Library::Library(Path directory, source::Sources& sources, ModuleCache cache)
    : directory_(std::move(directory)),
      prepared_(directory_),
      sources_(sources),
      cache_(std::move(cache)) {}

void Library::look_from(Path blueprint_folder) {
  blueprint_folder_ = std::move(blueprint_folder);
}

const Interface* Library::find(const std::string& text, source::Diagnostics& diagnostics,
                               Span place) {
  if (const auto known = read_.find(text); known != read_.end()) return known->second.get();
  const Request request{text, diagnostics, place};
  const ModuleSource source = parse_source(text);
  if (source.kind == ModuleSource::Kind::local) return find_local(source, request);
  if (!source.path.empty()) {
    if (const Interface* found = find_in_library(source.path, request)) return found;
  }
  if (source.is_remote()) return find_fetched(source, request);
  const std::string near = suggest(text);
  source::Diagnostic& said =
      diagnostics
          .error(Code::unknown_source, place,
                 fmt::format("there is no module `{}` in the module library", text))
          .help(near);
  std::error_code ignored;
  const bool folder = !text.empty() && (fs::is_directory(text, ignored) ||
                                        fs::is_directory(blueprint_folder_ / text, ignored));
  if (can_be_migrated(directory_, source.path)) {
    said.help("`slipway migrate` knows what takes its place");
  } else if (folder) {
    said.help(fmt::format("for a local folder, write `./{}`", text));
  } else if (near.empty()) {
    said.help("`slipway modules` lists the library");
    const std::string version = library_version(directory_);
    if (!version.empty() && (text.starts_with("modules/") || text.starts_with("community/"))) {
      said.help(
          fmt::format("the library is that of Cluster Toolkit {}: a later module comes from its "
                      "repository, with "
                      "`//{}?ref=RELEASE`",
                      version, text));
    }
  }
  return nullptr;
}

const Interface& Library::with_bodies(const Interface& interface) {
  if (bodies_ == Bodies::read || interface.foreign || !has(interface.path)) return interface;
  std::unique_ptr<const Interface>& whole = with_bodies_[interface.path];
  if (!whole) {
    source::Diagnostics said_before(sources_);  // the first time that the module was read
    const Path folder = directory_ / interface.path;
    const Span file = sources_.add_file(folder / file_name);
    whole = std::make_unique<const Interface>(
        read(folder, interface.path, file, Bodies::read, said_before));
  }
  return *whole;
}

const Interface* Library::find_in_library(const std::string& path, const Request& request) {
  return has(path) ? read_own(directory_ / path, path, bodies_, request) : nullptr;
}

bool Library::has(const std::string& path) const {
  std::error_code ignored;
  return !leaves(path) && fs::is_regular_file(directory_ / path / file_name, ignored);
}

void Library::read_ahead(const std::vector<std::string>& texts, source::Diagnostics& diagnostics) {
  struct Task {
    std::string text;
    std::string path;
    Span file;
    source::Diagnostics said;
    Interface interface = {};
  };
  std::vector<Task> tasks;
  for (const std::string& text : std::set<std::string>(texts.begin(), texts.end())) {
    const ModuleSource source = parse_source(text);
    if (read_.contains(text) || source.kind == ModuleSource::Kind::local) continue;
    if (source.path.empty() || !has(source.path)) continue;
    const Span file = sources_.add_file(directory_ / source.path / file_name);
    tasks.push_back({text, source.path, file, source::Diagnostics(sources_)});
  }
  // The largest first, so that the threads finish at about the same time.
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.file.end - a.file.begin > b.file.end - b.file.begin;
  });
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < tasks.size(); i = next++) {
      Task& task = tasks[i];
      task.interface = read(directory_ / task.path, task.path, task.file, bodies_, task.said);
    }
  };
  std::vector<std::future<void>> others;
  const size_t threads = std::min<size_t>(tasks.size(), std::thread::hardware_concurrency());
  for (size_t i = 1; i < threads; ++i) others.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void>& other : others) other.get();
  for (Task& task : tasks) {
    diagnostics.add(task.said);
    keep({task.text, diagnostics, {}}, std::move(task.interface));
  }
}

const Interface* Library::find_local(const ModuleSource& source, const Request& request) {
  std::error_code ignored;
  const Path here = Path(source.path).lexically_normal();
  const Path beside = (blueprint_folder_ / source.path).lexically_normal();
  for (const Path& folder : {here, beside}) {
    if (fs::is_directory(folder, ignored)) return read_folder(folder, request);
  }
  for (const Path& file : {here, beside}) {
    if (!fs::exists(file, ignored)) continue;
    request.diagnostics.error(Code::unknown_source, request.place,
                              fmt::format("`{}` is a file; a module is a folder", request.source));
    return nullptr;
  }
  const Path parent = Path(source.path).parent_path();
  std::string prefix = parent.string();
  if (!prefix.ends_with('/')) prefix += '/';
  std::vector<std::string> near = folders_in(parent, prefix, 1, false);
  const auto more = folders_in(blueprint_folder_ / parent, prefix, 1, false);
  near.insert(near.end(), more.begin(), more.end());
  std::string help = source::did_you_mean(request.source, near);
  if (help.empty()) help = suggest(source.path.substr(source.path.find_first_not_of("./")));
  request.diagnostics
      .error(Code::unknown_source, request.place,
             fmt::format("there is no folder `{}`", request.source))
      .help(std::move(help))
      .help("a path is relative to the working directory or to the blueprint's folder");
  return nullptr;
}

const Interface* Library::find_fetched(const ModuleSource& source, const Request& request) {
  const Path package = cache_.folder(source);
  std::error_code ignored;
  if (package.empty() || !fs::is_directory(package, ignored)) {
    const std::string blueprint =
        request.place ? shell_quote(sources_.place(request.place.begin).file) : "BLUEPRINT";
    request.diagnostics
        .error(Code::module_not_fetched, request.place,
               fmt::format("module `{}` has not been fetched", request.source))
        .help(fmt::format("run `slipway fetch {}`", blueprint))
        .help(source.kind == ModuleSource::Kind::terraform ? suggest(request.source)
                                                           : std::string());
    return nullptr;
  }
  const Path folder = package / source.folder;
  if (!leaves(source.folder) && fs::is_directory(folder, ignored)) {
    return read_folder(folder, request);
  }
  request.diagnostics
      .error(Code::unknown_source, request.place,
             fmt::format("there is no folder `{}` in `{}`", source.folder, source.package))
      .help(source::did_you_mean(source.folder, folders_in(package, "", 4, true)));
  return nullptr;
}

const Interface* Library::read_folder(const Path& folder, const Request& request) {
  std::error_code ignored;
  if (fs::is_regular_file(folder / file_name, ignored)) {
    return read_own(folder, request.source, Bodies::read, request);
  }
  if (is_terraform_module(folder)) {
    return keep(request,
                read_terraform_module(folder, request.source, sources_, request.diagnostics));
  }
  std::string prefix = request.source;
  if (!prefix.ends_with('/')) prefix += '/';
  std::vector<std::string> inner = folders_in(folder, prefix, 2, true);
  if (inner.size() > 5) inner.resize(5);
  request.diagnostics
      .error(Code::unknown_source, request.place,
             fmt::format("`{}` is not a Terraform module: it has no *.tf file", request.source))
      .help(inner.empty() ? std::string() : "it contains modules: " + join(inner, ", "));
  return nullptr;
}

const Interface* Library::read_own(const Path& folder, const std::string& path, Bodies bodies,
                                   const Request& request) {
  const Span text = sources_.add_file(folder / file_name);
  return keep(request, read(folder, path, text, bodies, request.diagnostics));
}

Interface Library::read(const Path& folder, const std::string& path, Span text, Bodies bodies,
                        source::Diagnostics& diagnostics) const {
  Interface interface;
  if (auto prepared = prepared_.find(path, text, sources_, bodies)) {
    interface = std::move(*prepared);
  } else if (const auto root = source::read_yaml(text, sources_, diagnostics)) {
    interface = read_module_file(path, *root, bodies, sources_, diagnostics);
  } else {
    interface.unreadable = true;
  }
  interface.folder = folder.string();
  return interface;
}

const Interface* Library::keep(const Request& request, Interface interface) {
  auto kept = std::make_unique<const Interface>(std::move(interface));
  return read_.emplace(request.source, std::move(kept)).first->second.get();
}

// A suggestion: a similar path, or the same module in another folder.
std::string Library::suggest(const std::string& source) const {
  const std::vector<std::string> known = paths();
  const std::string near = source::did_you_mean(source, known);
  if (!near.empty()) return near;
  for (const std::string& candidate : known) {
    if (last_part(candidate) == last_part(source)) {
      return fmt::format("did you mean `{}`?", candidate);
    }
  }
  return {};
}

std::vector<std::string> Library::paths() const {
  std::vector<std::string> paths;
  for (const char* part : {"modules", "community/modules"}) {
    if (!fs::is_directory(directory_ / part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / part)) {
      if (entry.path().filename() != file_name) continue;
      paths.push_back(fs::relative(entry.path().parent_path(), directory_).string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace slipway::modules
