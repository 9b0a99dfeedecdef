// The cache of remote modules.
#include "launcher/modules/module_cache.h"

#include <fmt/core.h>

#include <cstdlib>

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;

// Relative paths are ignored: https://specifications.freedesktop.org/basedir-spec.
fs::path absolute_of(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value != '/') return {};
  return value;
}

// Encodes a text as folder names: readable, and different for different texts. The last folder's
// name cannot come from a text, so the folders of a long text are never inside those of a shorter
// one.
fs::path encoded(std::string_view text) {
  constexpr size_t longest_name = 200;  // file systems allow 255 bytes
  fs::path path;
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    if (name.size() < longest_name) continue;
    path /= name;
    name.clear();
  }
  if (!name.empty()) path /= name;
  return path / "=package";
}

}  // namespace

ModuleCache ModuleCache::of_user() {
  if (const fs::path cache = absolute_of("XDG_CACHE_HOME"); !cache.empty()) {
    return {cache / "slipway/modules"};
  }
  const fs::path home = absolute_of("HOME");
  return {home.empty() ? fs::path() : home / ".cache/slipway/modules"};
}

fs::path ModuleCache::folder(const ModuleSource& source) const {
  return root.empty() ? fs::path() : root / encoded(source.package);
}

}  // namespace slipway::modules
