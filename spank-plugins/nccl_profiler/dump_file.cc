// Writes the file of this process.
#include "spank-plugins/nccl_profiler/dump_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::nccl_profiler {
namespace {

// As NCCL's inspector chooses it.
void write_folder(Text& text) {
  const char* const folder = ::getenv("NCCL_INSPECTOR_DUMP_DIR");
  if (folder != nullptr && *folder != '\0') {
    text << folder;
  } else {
    const char* const job = ::getenv("SLURM_JOBID");
    text << "nccl-inspector-" << (job != nullptr && *job != '\0' ? job : "unknown-jobid");
  }
}

// Those above may be there already, and not ours.
bool make_folders(char* path) {
  for (char* at = path + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    ::mkdir(path, 0700);
    *at = '/';
  }
  if (::mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) ::close(folder);
  return folder >= 0;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-';
}

Author this_process() {
  Author author = {};
  ::gethostname(author.host, sizeof author.host - 1);
  for (char* at = author.host; *at != '\0'; ++at)
    if (!is_plain(*at)) *at = '-';
  author.process = ::getpid();
  return author;
}

}  // namespace

bool DumpFile::prepare(const char*& why) {
  author_ = this_process();
  Text text(path_, sizeof path_ - 1);
  const char* const asked = ::getenv("NCCL_INSPECTOR_DUMP_DIR");
  if (asked == nullptr || *asked != '/') {  // the program may change its working directory
    if (::getcwd(path_, sizeof path_) != nullptr) {
      text.skip(strlen(path_));
      text << "/";
    }
  }
  write_folder(text);
  path_[text.size()] = '\0';
  if (!make_folders(path_)) {
    why = "cannot make the folder";
    return false;
  }
  text << "/" << author_.host << "-pid" << static_cast<int64_t>(author_.process) << ".log";
  if (text.room() == 0) errno = ENAMETOOLONG;
  why = "the path is too long";
  path_[text.size()] = '\0';
  return text.room() != 0;
}

bool DumpFile::open(const char*& why, int64_t limit) {
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  file_ = ::open(path_, flags, 0600);
  why = "cannot open the file";
  if (file_ < 0) return false;
  const off_t size = ::lseek(file_, 0, SEEK_END);
  why = "cannot start the file again";
  return size < limit || ::ftruncate(file_, 0) == 0;
}

bool DumpFile::write(const char* data, size_t size, const char*& why) {
  why = "cannot write";
  while (size > 0) {
    const ssize_t written = ::write(file_, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

void DumpFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace slipway::nccl_profiler
