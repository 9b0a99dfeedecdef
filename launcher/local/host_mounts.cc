// What is mounted on the host.
#include "launcher/local/host_mounts.h"

#include <algorithm>

#include "common/text.h"

namespace slipway::local {
namespace {

// The kernel writes blanks, tabs, line feeds and backslashes as \ooo.
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

}  // namespace slipway::local
