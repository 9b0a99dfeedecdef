// Writes a container's root as a squashfs file.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "spank-plugins/container/loader_cache.h"
#include "spank-plugins/container/path_in_root.h"
#include "spank-plugins/container/runtime.h"
#include "spank-plugins/container/save_excludes.h"

namespace slipway::container {
namespace {

// What it says, in one line: the last of its lines begins with `FATAL ERROR:`.
std::string why_it_failed(const ProcessResult& result) {
  constexpr int not_found = 127;  // env(1)
  if (result.exit_code == not_found) {
    return "mksquashfs is not installed on the node (Debian: squashfs-tools)";
  }
  std::vector<std::string> said;
  for (std::string line : split(result.errors, '\n')) {
    constexpr std::string_view mark = "FATAL ERROR:";
    if (line.starts_with(mark)) line.erase(0, mark.size());
    if (const std::string_view text = trim(line); !text.empty()) said.emplace_back(text);
  }
  if (said.empty()) said.push_back(fmt::format("it ended with status {}", result.exit_code));
  return "mksquashfs: " + join(said, "; ");
}

struct Replacement {
  std::string path;  // in the root, without the / at its beginning; empty: nothing is replaced
  std::string text;  // empty: left out
};

// The cache that lists the node's driver is not the image's.
Replacement loader_cache_in(const std::string& folder) {
  const Fd root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) throw_errno("cannot open the container's root");
  try {
    const std::string text = read_in_root(root.get(), loader_cache_path, 3 * largest_loader_cache);
    if (!is_made_by_us(text)) return {};
    const Fd file = find_in_root(root.get(), loader_cache_path);
    return {std::filesystem::read_symlink(name_of(file.get())).relative_path(), own_cache(text)};
  } catch (const Error&) {  // of the image
    return {};
  }
}

// For a pseudo file of mksquashfs.
std::string escaped_name(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (c == ' ' || c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::vector<std::string> excluded_mounts(std::string_view mountinfo, const std::string& root) {
  std::vector<std::string> excluded;
  for (const std::string& line : split(mountinfo, '\n')) {
    const std::vector<std::string> field = split(line, ' ');
    if (field.size() < 5 || field[4] == "/") continue;
    const std::string path = unescaped_mount(field[4]);
    struct stat info = {};
    const bool folder = ::stat((root + path).c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    excluded.push_back(glob_of(path.substr(1)) + (folder ? "/*" : ""));
  }
  return excluded;
}

std::string unescaped_mount(std::string_view text) {
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      path += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                (text[i + 3] - '0'));
      i += 3;
    } else {
      path += text[i];
    }
  }
  return path;
}

std::string glob_of(std::string_view path) {
  std::string glob;
  for (const char c : path) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) glob += '\\';
    glob += c;
  }
  return glob;
}

std::string check_place_to_save(const std::filesystem::path& file) {
  const std::string what = fmt::format("cannot save the container as `{}`", file.string());
  struct stat info = {};
  if (::stat(file.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) throw_errno(what, EISDIR);
  const std::filesystem::path wanted = file.parent_path();
  std::filesystem::path folder = wanted;  // the innermost one that exists
  while (::stat(folder.c_str(), &info) != 0) {
    if (errno != ENOENT) throw_errno(fmt::format("{}: `{}`", what, folder.string()));
    folder = folder.parent_path();
  }
  if (!S_ISDIR(info.st_mode)) throw_errno(what, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_errno(what);
  return folder == wanted ? "" : wanted.string();
}

void save(const Container& container, const std::filesystem::path& file) {
  const std::string process = fmt::format("/proc/{}", container.keeper);
  std::ifstream mounts(process + "/mountinfo");
  const std::string mountinfo(std::istreambuf_iterator<char>(mounts), {});
  if (mountinfo.empty()) throw Error("it is gone");
  const std::string part = std::filesystem::absolute(file).string() + ".part";
  std::vector<std::string> argv = {"env",        "--chdir=" + process + "/root",
                                   "mksquashfs", ".",
                                   part,         "-noappend",
                                   "-all-root",  "-no-progress",
                                   "-quiet",     "-comp",
                                   "zstd",       "-Xcompression-level",
                                   "3",          "-wildcards"};
  ProcessOptions options;
  const Replacement cache = loader_cache_in(process + "/root");
  if (!cache.text.empty()) {
    argv.insert(argv.end(), {"-p", escaped_name(cache.path) + " f 644 0 0 cat"});
    options.input = cache.text;
  }
  argv.emplace_back("-e");
  if (!cache.path.empty()) argv.push_back(glob_of(cache.path));
  for (const std::string& path : excluded_mounts(mountinfo, process + "/root")) {
    argv.push_back(path);
  }
  options.deadline = std::chrono::hours(24);
  const ProcessResult result = run_process(argv, options);
  if (!result.ok()) {
    ::unlink(part.c_str());
    throw Error(why_it_failed(result));
  }
  if (std::rename(part.c_str(), file.c_str()) != 0) {
    throw_errno("cannot rename the new file");
  }
}

}  // namespace slipway::container
