// Requeues a job that slurmd started without its prolog.
#include "spank-plugins/node_health/left_out.h"

#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::node_health {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view base_path = "BasePath=";
constexpr int most_restarts = 20;

std::optional<fs::path> base_path_in(const fs::path& job_container_conf) {
  if (!fs::exists(job_container_conf)) return std::nullopt;
  for (const std::string& line : split(read_file(job_container_conf), '\n')) {
    if (!line.starts_with(base_path)) continue;
    const std::string value = line.substr(base_path.size());
    return fs::path(value.substr(0, value.find(' ')));
  }
  return std::nullopt;
}

// Slurm keeps the job's mount namespace as a mounted file. Newer versions keep several, in a
// folder.
bool has_namespace(const fs::path& job_folder) {
  const fs::path path = job_folder / ".ns";
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return false;
  struct statfs system = {};
  return S_ISDIR(info.st_mode) ||
         (::statfs(path.c_str(), &system) == 0 && system.f_type == NSFS_MAGIC);
}

struct QueuedJob {
  bool is_batch = false;
  int restarts = 0;
  uint32_t whole = 0;  // the first of a heterogeneous job's components; otherwise the job itself
  bool runs = false;   // and nobody has canceled it
};

std::optional<QueuedJob> find_job(uint32_t job, const RunSlurm& run) {
  const std::string id = std::to_string(job);
  // Uses squeue, not scontrol: none of these fields contains text that users choose.
  const ProcessResult asked = run({"/usr/bin/squeue", "--noheader", "--states=all", "--jobs=" + id,
                                   "--Format=batchflag:|,restartcnt:|,hetjobid:|,state:|"});
  const std::vector<std::string> words =
      split(asked.output.substr(0, asked.output.find('\n')), '|');
  if (!asked.ok() || words.size() < 4) return std::nullopt;
  const auto number = [&](size_t i) { return to_number<uint32_t>(trim(words[i])).value_or(0); };
  return QueuedJob{number(0) == 1, static_cast<int>(number(1)), number(2) > 0 ? number(2) : job,
                   trim(words[3]) == "RUNNING"};
}

// With proctrack/linuxproc, slurmd ends a requeued job's steps by killing all children of
// slurmstepd, so that scontrol may not live to hear that it has succeeded.
bool was_requeued(uint32_t job, const QueuedJob& before, const RunSlurm& run) {
  const std::optional<QueuedJob> now = find_job(job, run);
  return now && now->restarts > before.restarts;
}

std::string reason_of(const ProcessResult& failed) {
  const std::string errors(trim(failed.errors));
  if (!errors.empty()) return errors;
  return fmt::format("scontrol ended with status {}", failed.exit_code);
}

}  // namespace

bool lacks_own_tmp(const fs::path& job_container_conf, uint32_t job) {
  const std::optional<fs::path> base = base_path_in(job_container_conf);
  if (!base || !fs::is_directory(*base)) return false;
  const std::string name = std::to_string(job);
  // <base>/<job>, and <base>/<node>/<job> in Slurm 22.05.
  if (has_namespace(*base / name)) return false;
  return std::ranges::none_of(fs::directory_iterator(*base), [&](const fs::directory_entry& entry) {
    return has_namespace(entry.path() / name);
  });
}

std::string queue_again(uint32_t job, const RunSlurm& run) {
  const std::string found = "slurmd started the job here without its prolog and its own /tmp";
  const std::optional<QueuedJob> queued = find_job(job, run);
  if (!queued) return found + "; Slurm does not know the job";
  if (!queued->runs) return {};
  if (!queued->is_batch) return found + ": submit it again";
  if (queued->restarts >= most_restarts) {
    return fmt::format("{}; it was already requeued {} times", found, queued->restarts);
  }
  const ProcessResult asked = run({"/usr/bin/scontrol", "requeue", std::to_string(queued->whole)});
  if (!asked.ok() && !was_requeued(job, *queued, run)) {
    return fmt::format("{}, and requeueing it failed: {}", found, reason_of(asked));
  }
  return found + ": requeued it";
}

}  // namespace slipway::node_health
