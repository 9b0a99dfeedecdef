// Takes a deployment's lock, or reports who holds it.
#include "launcher/local/deployment_lock.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <thread>
#include <utility>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/text.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto longest_moment = 10s;
// Longer than a change and its rollback can take.
constexpr auto longest_change = 150s;
constexpr const char* interrupted = "interrupted";

struct Holder {
  std::string verb;
  std::string process;
  std::time_t since = 0;
};

std::filesystem::path path_of(const DeploymentFolder& folder) {
  return folder.path().parent_path().parent_path() / "locks" / folder.name();
}

// Best effort: the lock works even if its holder cannot be recorded.
void write_holder(const Fd& file, const std::string& verb) {
  const std::string text = fmt::format("{} {} {}\n", verb, ::getpid(), std::time(nullptr));
  if (::ftruncate(file.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(file.get(), text.data(), text.size(), 0);
  }
}

// Empty until the holder has recorded itself.
Holder read_holder(const std::filesystem::path& path) try {
  const std::vector<std::string> words = split(trim(read_regular_file(path, 256)), ' ');
  if (words.size() != 3) return {};
  return {words[0], words[1], to_number<std::time_t>(words[2]).value_or(0)};
} catch (const Error&) {
  return {};
}

std::chrono::seconds patience_with(const Holder& holder) {
  if (holder.verb == interrupted) return longest_change;
  return holder.verb == "deploy" || holder.verb == "destroy" ? 0s : longest_moment;
}

[[noreturn]] void refuse(const DeploymentFolder& folder, const Holder& holder) {
  if (holder.verb == interrupted) {
    throw Error(
        fmt::format("deployment `{}`: its interrupted change has not finished", folder.name()));
  }
  const auto seconds = std::max<std::time_t>(0, std::time(nullptr) - holder.since);
  throw Error(
      holder.verb.empty()
          ? fmt::format("deployment `{}` is being changed by another command", folder.name())
          : fmt::format("deployment `{}` is being changed by `slipway {}` (process {}, for {} s)",
                        folder.name(), holder.verb, holder.process, seconds));
}

}  // namespace

DeploymentLock::DeploymentLock(const DeploymentFolder& folder, const std::string& verb,
                               const std::function<void()>& interrupted_change) {
  const std::filesystem::path path = path_of(folder);
  make_directories(path.parent_path());
  const auto begin = Clock::now();
  bool told = false;
  while (!(file_ = try_lock(path))) {
    const Holder holder = read_holder(path);
    if (Clock::now() - begin > patience_with(holder)) refuse(folder, holder);
    const bool first = holder.verb == interrupted && !std::exchange(told, true);
    if (first && interrupted_change) interrupted_change();
    std::this_thread::sleep_for(10ms);
  }
  write_holder(file_, verb);
}

void record_interruption(const Fd& lock_file) {
  write_holder(lock_file, interrupted);
}

}  // namespace slipway::local
