// Writes, finds and runs scripts around jobs.
#include "launcher/node/job_scripts.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

extern char** environ;

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

using Say = std::function<void(const std::string&)>;

// Slurm's SLURM_SCRIPT_CONTEXT by our kind.
const std::map<std::string, std::string> contexts = {{"prolog", "prolog_slurmd"},
                                                     {"epilog", "epilog_slurmd"},
                                                     {"task_prolog", "prolog_task"},
                                                     {"task_epilog", "epilog_task"}};

bool is_plain(std::string_view name) {
  return !name.empty() && name[0] != '.' &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == name.npos;
}

// "prolog.d/000-a.sh" or "external".
void check_name(const std::string& name) {
  const size_t slash = name.find('/');
  const std::string folder = name.substr(0, slash);
  const bool inside = folder.ends_with(".d") && is_script_kind(folder.substr(0, folder.size() - 2));
  if (name == "external" || (inside && slash != name.npos && is_plain(name.substr(slash + 1)))) {
    return;
  }
  throw Error(fmt::format("`{}` is not the name of a script around jobs", name));
}

// Whether only `owner` and root can change a file, or replace the files of a folder: in a sticky
// folder, such as /tmp, others cannot.
bool is_only_for(unsigned int owner, const fs::path& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return false;
  const bool is_sticky = S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0;
  return (found.st_uid == owner || found.st_uid == 0) &&
         (is_sticky || (found.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

// The files of a folder by name; those that others could have written are left out if `owner` has
// to own them.
class Finder {
 public:
  Finder(bool as_root, unsigned int owner, const Say& say)
      : as_root_(as_root), owner_(owner), say_(say) {}

  void add(const fs::path& folder, std::string_view ending) {
    std::error_code missing;
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(ending) && name[0] != '.') files.insert(entry.path());
    }
    if (files.empty() || (as_root_ && !is_safe(folder))) return;
    for (const fs::path& file : files) {
      if (!fs::is_regular_file(file, missing) || ::access(file.c_str(), X_OK) != 0) continue;
      if (!as_root_ || is_safe(file)) found_.push_back(file);
    }
  }

  std::vector<fs::path> found() { return std::move(found_); }

 private:
  // The path itself and all folders above it: a user who can replace one can replace the script.
  bool is_safe(const fs::path& path) {
    std::error_code error;
    for (fs::path at = fs::canonical(path, error); !error; at = at.parent_path()) {
      if (!is_only_for(owner_, at)) break;
      if (at == at.root_path()) return true;
    }
    say_(fmt::format("left out {}: others than root can change it", path.string()));
    return false;
  }

  bool as_root_;
  unsigned int owner_;
  const Say& say_;
  std::vector<fs::path> found_;
};

int run_one(const fs::path& script, const Say& say) {
  std::string name = script;
  char* argv[] = {name.data(), nullptr};
  pid_t child = 0;
  if (const int error = ::posix_spawn(&child, name.c_str(), nullptr, nullptr, argv, environ)) {
    say(fmt::format("cannot run {}: {}", name, std::strerror(error)));
    return 126;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code != 0) say(fmt::format("{} ended with exit status {}", name, code));
  return code;
}

}  // namespace

bool is_script_kind(const std::string& kind) {
  return contexts.contains(kind);
}

bool write_scripts(const std::map<std::string, std::string>& scripts, const ScriptPlaces& places) {
  bool changed = false;
  for (const auto& [name, text] : scripts) {
    check_name(name);
    const fs::path path = places.own / name;
    if (fs::exists(path) && read_file(path) == text) continue;
    make_directories(path.parent_path());
    write_file(path, text, name == "external" ? 0644 : 0755);
    changed = true;
  }
  std::vector<fs::path> gone;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(places.own, missing)) {
    const std::string name = entry.path().lexically_relative(places.own);
    if (!entry.is_directory() && !scripts.contains(name)) gone.push_back(entry.path());
  }
  for (const fs::path& path : gone) changed = fs::remove(path) || changed;
  return changed;
}

std::vector<fs::path> scripts_around_jobs(const std::string& kind, const std::string& partition,
                                          const ScriptPlaces& places, const Say& say) {
  const std::string& context = contexts.at(kind);
  const bool as_root = !kind.starts_with("task_");
  Finder finder(as_root, places.owner, say);
  finder.add(places.own / (kind + ".d"), "");
  if (const fs::path named = places.own / "external"; fs::exists(named)) {
    const fs::path site(trim(read_file(named)));
    finder.add(site / (context + ".d"), "." + context);
    if (is_plain(partition)) {
      finder.add(site / fmt::format("partition-{}-{}.d", partition, context), "." + context);
    }
  }
  return finder.found();
}

int run_scripts(const std::string& kind, const std::vector<fs::path>& scripts, const Say& say) {
  int first = 0;
  for (const fs::path& script : scripts) {
    const int code = run_one(script, say);
    if (code != 0 && first == 0) first = code;
    if (code != 0 && kind.ends_with("prolog")) break;
  }
  return first;
}

}  // namespace slipway::node
