// Reads the host's mount points, and resolves paths inside an image.
#include "launcher/local/host_mounts.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "common/error.h"
#include "common/text.h"

namespace slipway::local {
namespace {

// The kernel writes spaces, tabs, line feeds and backslashes as \ooo.
std::string unescape(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<std::filesystem::path> mount_points(const std::string& mountinfo) {
  std::vector<std::filesystem::path> points;
  for (const std::string& line : split(mountinfo, '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() > 4) points.emplace_back(unescape(fields[4]));
  }
  return points;
}

bool has_mounts_below(const std::vector<std::filesystem::path>& mounts,
                      const std::filesystem::path& folder) {
  std::string prefix = folder.string();
  if (!prefix.ends_with('/')) prefix += '/';
  return std::ranges::any_of(mounts, [&](const std::filesystem::path& mount) {
    return mount.string().size() > prefix.size() && mount.string().starts_with(prefix);
  });
}

std::filesystem::path resolve_in(const std::filesystem::path& root,
                                 const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  constexpr int max_links = 40;  // the kernel's limit
  std::deque<fs::path> left;
  for (const fs::path& part : path.relative_path()) left.push_back(part);
  fs::path done;
  for (int links = 0; !left.empty();) {
    const fs::path part = left.front();
    left.pop_front();
    if (part == "." || part.empty()) continue;
    if (part == "..") {
      done = done.parent_path();
      continue;
    }
    if (!fs::is_symlink(fs::symlink_status(root / done / part))) {
      done /= part;
      continue;
    }
    if (++links > max_links) {
      throw Error(fmt::format("{} goes through too many symbolic links", path.string()));
    }
    const fs::path target = fs::read_symlink(root / done / part);
    if (target.is_absolute()) done.clear();
    const fs::path relative = target.relative_path();
    left.insert(left.begin(), relative.begin(), relative.end());
  }
  return done;
}

}  // namespace slipway::local
