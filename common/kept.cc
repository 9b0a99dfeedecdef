// Reads the state of a folder with one request for each file, by its name in the folder: commands
// do this each time they start.
#include "common/kept.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace slipway {
namespace {

FileState state_in(int folder, const char* name) {
  struct stat file {};
  if (::fstatat(folder, name, &file, 0) != 0) return {};
  return {file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_size};
}

}  // namespace

FileState state_of_file(const std::filesystem::path& file) {
  return state_in(AT_FDCWD, file.c_str());
}

FolderState state_of(const std::filesystem::path& folder) {
  FolderState state;
  DIR* entries = ::opendir(folder.c_str());
  if (entries == nullptr) return state;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") state[name] = state_in(::dirfd(entries), entry->d_name);
  }
  ::closedir(entries);
  return state;
}

}  // namespace slipway
