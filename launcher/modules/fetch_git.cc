// Downloads a commit of a git repository.
#include <fmt/core.h>

#include <cstdlib>
#include <optional>

#include "common/error.h"
#include "common/text.h"
#include "launcher/modules/fetch_package.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;

class Git {
 public:
  Git(const fs::path& folder, std::chrono::milliseconds deadline)
      : folder_(folder), deadline_(deadline) {}

  // Returns an error message, or nothing.
  std::optional<std::string> run(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{"git", "-C", folder_.string()};
    for (const char* setting : {"core.hooksPath=/dev/null", "submodule.recurse=false"}) {
      argv.insert(argv.end(), {"-c", setting});
    }
    argv.insert(argv.end(), words.begin(), words.end());
    const ProcessResult result = run_without_questions(std::move(argv), deadline_);
    if (result.ok()) return std::nullopt;
    if (result.timed_out) return "git timed out";
    return "git: " + std::string(trim(result.errors));
  }

  void run_or_throw(const std::vector<std::string>& words) const {
    if (const auto wrong = run(words)) throw Error(*wrong);
  }

 private:
  const fs::path& folder_;
  std::chrono::milliseconds deadline_;
};

bool is_part_of_a_commit(std::string_view ref) {
  return ref.size() >= 4 && ref.size() <= 64 &&
         ref.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

ProcessResult run_without_questions(std::vector<std::string> argv,
                                    std::chrono::milliseconds deadline) {
  const char* ssh = std::getenv("GIT_SSH_COMMAND");
  std::vector<std::string> all{"env"};
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
                           "TF_DATA_DIR", "TF_WORKSPACE", "TF_CLI_ARGS", "TF_CLI_ARGS_get"}) {
    all.insert(all.end(), {"-u", name});
  }
  all.insert(all.end(),
             {"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GIT_ALLOW_PROTOCOL=https:ssh:file",
              fmt::format("GIT_SSH_COMMAND={} -oBatchMode=yes",
                          ssh != nullptr && *ssh != '\0' ? ssh : "ssh"),
              "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0"});
  all.insert(all.end(), argv.begin(), argv.end());
  ProcessOptions options;
  options.deadline = deadline;
  return run_process(all, options);
}

void fetch_with_git(const ModuleSource& source, const fs::path& folder,
                    std::chrono::milliseconds deadline) {
  const Git git(folder, deadline);
  const std::string wanted = source.ref.empty() ? "HEAD" : source.ref;
  git.run_or_throw({"init", "--quiet", "--template="});
  // After --end-of-options, an argument that begins with a dash is not an option.
  const auto wrong = git.run({"fetch", "--quiet", "--depth=1", "--no-tags",
                              "--no-recurse-submodules", "--end-of-options", source.url, wanted});
  if (!wrong) {
    git.run_or_throw({"checkout", "--quiet", "--detach", "FETCH_HEAD"});
  } else if (is_part_of_a_commit(source.ref)) {
    // Few servers accept an abbreviated commit: fetch everything and look for it here.
    git.run_or_throw({"fetch", "--quiet", "--no-recurse-submodules", "--end-of-options", source.url,
                      "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"});
    git.run_or_throw({"checkout", "--quiet", "--detach", source.ref});
  } else {
    throw Error(*wrong);
  }
  fs::remove_all(folder / ".git");
}

}  // namespace slipway::modules
