// Notices when a program renames step-N.tmp to step-N in its folder.
#include "launcher/checkpoint/renames.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "common/error.h"
#include "launcher/checkpoint/store.h"

namespace slipway::checkpoint {

Renames::Renames() : fd_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!fd_) throw_errno("inotify");
}

void Renames::watch(const std::filesystem::path& root, const std::vector<int64_t>& ranks) {
  for (const auto& [wd, watched] : watched_) ::inotify_rm_watch(fd_.get(), wd);
  watched_.clear();
  read();  // events of earlier tasks
  for (const int64_t rank : ranks) {
    const int wd = ::inotify_add_watch(fd_.get(), rank_folder(root, rank).c_str(),
                                       IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW);
    if (wd < 0) throw_errno("cannot watch the folder of a rank");
    watched_[wd].rank = rank;
  }
}

std::vector<NewStep> Renames::read() {
  std::vector<NewStep> steps;
  alignas(inotify_event) std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
    if (got <= 0) return steps;
    for (const char* at = buffer.data(); at < buffer.data() + got;) {
      inotify_event event = {};
      std::memcpy(&event, at, sizeof event);
      const std::string name = event.len > 0 ? at + sizeof event : "";
      at += sizeof event + event.len;
      const auto found = watched_.find(event.wd);
      if (found == watched_.end()) continue;
      Watched& watched = found->second;
      if ((event.mask & IN_MOVED_FROM) != 0) {
        watched.from = name;
        watched.cookie = event.cookie;
        continue;
      }
      const auto step = step_number(name);
      const bool is_rename = (event.mask & IN_MOVED_TO) != 0 && (event.mask & IN_ISDIR) != 0 &&
                             event.cookie == watched.cookie && watched.from == name + ".tmp";
      if (step && is_rename) steps.push_back({watched.rank, *step});
    }
  }
}

}  // namespace slipway::checkpoint
