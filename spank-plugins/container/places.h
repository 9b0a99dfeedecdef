// Where containers are on a node: RUNTIME_PATH/UID/NAME, one folder each.
//
//   lock          held while a step decides about the container or ends it
//   made.json     what a named container was made of
//   image.sqsh    an imported image
//   changes/      what the tasks of a named container have changed
//   running.json  the keeper of the running container
//   joined        locked by steps in the running container: joined_lock.h
//
// The folder of a user belongs to the user: only make_user_folder() runs as root.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "spank-plugins/container/settings.h"

namespace slipway::container {

struct StepId {
  uint32_t job = 0, step = 0;
};

// Makes RUNTIME_PATH/UID for the user, and what is missing above it, as root. Throws Error if
// another user could have made it, or put something else in its place.
void make_user_folder(const std::filesystem::path& runtime_path, uid_t uid, gid_t gid);

std::filesystem::path user_folder(const std::filesystem::path& runtime_path, uid_t uid);

// The names of folders in the user's: "step.7.0"; "name.train", or in a job's scope "job.7.train".
std::string unnamed_folder(const StepId& id);
std::string named_folder(const std::string& name, bool job_scope, uint32_t job);

// What a named container was made of. A file is known by its size and time of change, too: the
// changes of a container only fit the image they were made in.
struct Made {
  std::filesystem::path image;
  std::string asked;  // as the user wrote it
  uint64_t size = 0;
  int64_t changed_ns = 0;
};

// Throws Error if the file cannot be read.
Made made_of(const std::filesystem::path& image, const std::string& asked);
void write_made(const std::filesystem::path& folder, const Made& made);
// Empty if there is no such container. Throws Error if the record is damaged, or if its file is
// gone or has been replaced.
std::optional<Made> read_made(const std::filesystem::path& folder);

// Variables that a container sets, or, without a value, takes away.
using EnvironmentChanges = std::map<std::string, std::optional<std::string>>;

// The running container, for further steps.
struct Running {
  pid_t keeper = 0;
  std::string start;    // of the keeper: process_stat.h
  std::string workdir;  // of a task whose job asks for none
  EnvironmentChanges changes;
};

void write_running(const std::filesystem::path& folder, const Running& running);
// Empty if no container runs.
std::optional<Running> read_running(const std::filesystem::path& folder);

// Opens a file of the folder and takes its lock, which ends with the descriptor and its copies in
// children. Throws Error if another process holds it for more than a day.
Fd lock_file(const std::filesystem::path& file);
// The same without the lock.
Fd open_lock(const std::filesystem::path& file);
// Waits for the lock that this descriptor had; false if it is not free within `limit`.
bool try_lock(const Fd& lock, std::chrono::milliseconds limit);
void unlock(const Fd& lock);

// Removes the folder with everything in it, also folders that nobody may read.
void remove_folder(const std::filesystem::path& folder);

// The folders that end with a job.
std::vector<std::filesystem::path> folders_of_job(const std::filesystem::path& user_folder,
                                                  uint32_t job);

}  // namespace slipway::container
