// Copies the state of slurmctld and slurmdbd, and puts it back.
#include "launcher/local/kept_state.h"

#include "common/error.h"
#include "common/process.h"

namespace slipway::local {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes longest_copy{10};

// With owners, modes and times.
void copy_folder(const fs::path& from, const fs::path& into) {
  run_checked({"cp", "--archive", "--", from.string(), into.string()},
              {.input = "", .deadline = longest_copy});
}

}  // namespace

void keep_state(const DeploymentFolder& folder) {
  const fs::path kept = folder.kept_state();
  if (fs::exists(kept)) return;
  const fs::path unfinished = kept.string() + ".part";
  fs::remove_all(unfinished);
  fs::create_directory(unfinished);
  fs::permissions(unfinished, fs::perms::owner_all);
  for (const fs::path& part : {folder.state(), folder.database()}) {
    if (fs::exists(part)) copy_folder(part, unfinished);
  }
  fs::rename(unfinished, kept);
}

void restore_kept_state(const DeploymentFolder& folder) {
  for (const fs::path& part : {folder.state(), folder.database()}) {
    const fs::path copy = folder.kept_state() / part.filename();
    if (!fs::exists(copy)) continue;
    fs::remove_all(part);
    fs::rename(copy, part);
  }
  drop_kept_state(folder);
}

void drop_kept_state(const DeploymentFolder& folder) {
  fs::remove_all(folder.kept_state());
}

}  // namespace slipway::local
