// The module library.
#include "launcher/modules/library.h"

#include <algorithm>

#include "common/file.h"
#include "launcher/modules/module_file.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "module.yaml";

}  // namespace

Library::Library(fs::path directory, source::Sources& sources)
    : directory_(std::move(directory)), sources_(sources) {}

const Interface* Library::find(const std::string& path, source::Diagnostics& diagnostics) {
  if (const auto known = read_.find(path); known != read_.end()) return known->second.get();
  const bool embedded = path.starts_with("modules/") || path.starts_with("community/modules/");
  const bool leaves = path.find("..") != std::string::npos;
  const fs::path file = directory_ / path / file_name;
  if (!embedded || leaves || !fs::is_regular_file(file)) return nullptr;
  const source::Span text = sources_.add(file.string(), read_file(file));
  auto interface = std::make_unique<Interface>();
  if (const auto root = source::read_yaml(text, sources_, diagnostics)) {
    *interface = read_module_file(path, *root, sources_, diagnostics);
  } else {
    interface->unreadable = true;
  }
  return read_.emplace(path, std::move(interface)).first->second.get();
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
