// Finds and reads the files that a blueprint names for Slurm's configuration.
#include "launcher/cluster/template_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/file.h"

namespace slipway::cluster {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t most_bytes = 1 << 20;

// The rest of `path` after one of the prefixes, or "".
std::string after(const std::string& path, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (path.starts_with(prefix)) return path.substr(prefix.size());
  }
  return "";
}

// The library's folder, from that of one of its modules.
fs::path library_of(const blueprint::Module& module) {
  fs::path folder = module.interface->folder;
  for (const fs::path& part : fs::path(module.interface->path)) {
    if (!part.empty()) folder = folder.parent_path();
  }
  return folder;
}

// Where the file is on this machine; "" if only the deployment knows.
fs::path place_of_file(const std::string& path, const blueprint::Module& module,
                       const blueprint::Deployment& deployment) {
  if (path.starts_with('/')) return path;
  if (const std::string staged = after(path, {"../.ghpc/staged/"}); !staged.empty()) {
    const auto found =
        std::ranges::find(deployment.staged_files, staged, &blueprint::StagedFile::to);
    return found == deployment.staged_files.end() ? fs::path() : fs::path(found->from);
  }
  const std::string ours = after(path, {"modules/embedded/", "../_modules/embedded/"});
  const fs::path inside = fs::path(ours).lexically_normal();
  if (ours.empty() || inside.is_absolute() || *inside.begin() == "..") return {};
  return library_of(module) / inside;
}

}  // namespace

std::optional<std::string> read_named_file(const std::string& path, const blueprint::Module& module,
                                           const blueprint::Deployment& deployment,
                                           source::Span place, source::Diagnostics& diagnostics) {
  const auto wrong = [&](const std::string& message) {
    diagnostics.error(source::Code::no_such_file, place, message)
        .help("name a file with ghpc_stage(\"PATH\") or an absolute path");
    return std::nullopt;
  };
  const fs::path file = place_of_file(path, module, deployment);
  std::error_code error;
  if (file.empty() || !fs::is_regular_file(file, error)) {
    return wrong(fmt::format("there is no file `{}`", path));
  }
  if (fs::file_size(file, error) > most_bytes || error) {
    return wrong(fmt::format("the file `{}` is larger than 1 MiB", path));
  }
  try {
    std::string text = read_file(file);
    if (text.find('\0') == text.npos) return text;
  } catch (const Error& problem) {
    return wrong(problem.what());
  }
  return wrong(fmt::format("the file `{}` is not text", path));
}

}  // namespace slipway::cluster
