// Submits, watches and cancels the helper jobs of a job that has lost nodes.
#include "launcher/job/helpers.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/error.h"
#include "common/text.h"

namespace slipway::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_looks = std::chrono::seconds(3);
constexpr milliseconds first_pause = std::chrono::seconds(10),
                       longest_pause = std::chrono::minutes(10);  // after failures

std::string name_of_helpers(const std::string& job) {
  return "slipway-grow-" + job;
}

// Options of the job that the helper is for, of the user's environment and of the batch script are
// not the helper's; what tasks need of them comes from the launcher.
std::vector<std::string> without_slurms_variables() {
  std::vector<std::string> words = {"env"};
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (name == "SLURM_CONF") continue;
    if (name.starts_with("SLURM_") || name.starts_with("SBATCH_") || name.starts_with("SRUN_"))
      words.push_back(fmt::format("--unset={}", name));
  }
  return words;
}

// What the helper requests: a node like those of the job, for as long as the job may still run.
std::vector<std::string> request_like(std::string_view record, std::string_view time_left) {
  std::vector<std::string> options = {"--nodes=1", "--ntasks=1", "--exclusive", "--no-requeue"};
  const auto add = [&](const char* key, const char* option) {
    const std::string value = job_field(record, key);
    if (!value.empty()) options.push_back(fmt::format("--{}={}", option, value));
  };
  add("Partition", "partition");
  add("Account", "account");
  add("QOS", "qos");
  add("Features", "constraint");
  add("Reservation", "reservation");
  add("MinMemoryNode", "mem");
  add("MinMemoryCPU", "mem-per-cpu");
  std::string gres = job_field(record, "TresPerNode");
  if (gres.starts_with("gres:") || gres.starts_with("gres/")) gres.erase(0, 5);
  if (!gres.empty()) options.push_back("--gres=" + gres);
  if (!time_left.empty() && time_left != "INVALID" && time_left != "NOT_SET")
    options.push_back(fmt::format("--time={}", time_left));
  return options;
}

// The agent's settings are in the script, which only the job's user can read; other users can read
// command lines.
std::string script_of(const HelperWish& wish) {
  std::string text = "#!/bin/bash\n";
  for (const auto& [name, value] : wish.variables)
    text += fmt::format("export {}={}\n", name, shell_quote(value));
  text += "exec";
  for (const std::string& word : wish.command) text += " " + shell_quote(word);
  return text + "\n";
}

}  // namespace

bool HelperJobs::read_states(const std::set<std::string>& joined, std::vector<std::string>& news,
                             Clock::time_point now) {
  const ProcessResult result =
      slurm_.run({"squeue", "--noheader", "--name=" + name_of_helpers(wish_.job),
                  "--states=PENDING,CONFIGURING,RUNNING,COMPLETING", "--format=%A|%T|%N"},
                 "");
  if (!result.ok()) return false;
  std::map<std::string, std::pair<std::string, std::string>> seen;
  for (const std::string& line : split(result.output, '\n')) {
    const std::vector<std::string> words = split(trim(line), '|');
    if (words.size() == 3) seen[words[0]] = {words[1], words[2]};
  }
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto found = seen.find(job->first);
    Helper& helper = job->second;
    if (found != seen.end()) {
      helper.runs = found->second.first != "PENDING";
      helper.node = found->second.second;
      helper.has_joined |= helper.runs && joined.contains(helper.node);
      if (helper.has_joined) failures_ = 0;
      ++job;
      continue;
    }
    if (!helper.has_joined)
      fail(fmt::format("job {} ended before its node joined: see {}", job->first, wish_.output),
           news, now);
    job = jobs_.erase(job);
  }
  return true;
}

void HelperJobs::fail(const std::string& why, std::vector<std::string>& news,
                      Clock::time_point now) {
  const milliseconds pause = std::min(first_pause * (1 << std::min(failures_, 8)), longest_pause);
  if (failures_++ == 0) news.push_back(why);
  next_try_ = now + pause;
}

std::optional<std::string> HelperJobs::submit(const std::set<std::string>& without,
                                              std::string& why) {
  const ProcessResult job = slurm_.run({"scontrol", "show", "job", "--oneliner", wish_.job}, "");
  const ProcessResult left =
      slurm_.run({"squeue", "--noheader", "--jobs=" + wish_.job, "--format=%L"}, "");
  if (!job.ok() || !left.ok()) {
    why = trim(job.ok() ? left.errors : job.errors);
    return std::nullopt;
  }
  std::vector<std::string> words = without_slurms_variables();
  words.insert(words.end(), {"sbatch", "--parsable", "--job-name=" + name_of_helpers(wish_.job),
                             "--output=" + wish_.output, "--open-mode=append"});
  const auto first_line = [](std::string_view text) { return text.substr(0, text.find('\n')); };
  for (std::string& option : request_like(first_line(job.output), trim(first_line(left.output))))
    words.push_back(std::move(option));
  const std::vector<std::string> list(without.begin(), without.end());
  if (!list.empty()) words.push_back("--exclude=" + join(list, ","));
  const ProcessResult result = slurm_.run(words, script_of(wish_));
  const std::string number = result.output.substr(0, result.output.find_first_of(";\n"));
  if (result.ok() && to_number<int64_t>(number)) return number;
  why = trim(result.timed_out ? "no answer" : result.errors);
  return std::nullopt;
}

std::vector<std::string> HelperJobs::tend(size_t wanted, const std::set<std::string>& joined,
                                          const std::set<std::string>& without,
                                          Clock::time_point now) {
  std::vector<std::string> news;
  if (wanted == 0 && jobs_.empty()) return news;
  if (!jobs_.empty() && !read_states(joined, news, now)) return news;
  size_t coming = static_cast<size_t>(
      std::ranges::count_if(jobs_, [](const auto& job) { return !job.second.has_joined; }));
  for (auto& [number, helper] : jobs_) {
    if (coming <= wanted) break;
    if (helper.runs || !slurm_.run({"scancel", number}, "").ok()) continue;
    helper.has_joined = true;  // it is no longer expected
    --coming;
  }
  while (coming < wanted && now >= next_try_) {
    std::string why;
    const auto number = submit(without, why);
    if (!number) {
      fail("cannot submit a job for another node: " + why, news, now);
      break;
    }
    jobs_[*number] = {};
    ++coming;
    news.push_back(fmt::format("job {} brings a node as soon as one is free", *number));
  }
  return news;
}

void HelperJobs::end(bool follows) {
  // By number: if this run of the job is over, the next one has its own. Jobs that run end with
  // their agents.
  std::vector<std::string> words = {"scancel", "--quiet", "--state=PENDING"};
  for (const auto& [number, helper] : jobs_) words.push_back(number);
  if (follows)
    words.insert(words.end(),
                 {fmt::format("--user={}", ::getuid()), "--name=" + name_of_helpers(wish_.job)});
  if (words.size() > 3) slurm_.run(words, "");
  jobs_.clear();
  std::error_code ignored;
  if (std::filesystem::file_size(wish_.output, ignored) == 0)
    std::filesystem::remove(wish_.output, ignored);
}

void Helpers::tend(size_t wanted, const std::set<std::string>& joined,
                   const std::set<std::string>& without) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (busy_ || now - last_ < between_looks) return;
    busy_ = true;
    last_ = now;
  }
  thread_.put([this, wanted, joined, without, now] {
    std::vector<std::string> news;
    try {
      news = jobs_.tend(wanted, joined, without, now);
    } catch (const Error& error) {
      news.emplace_back(error.what());
    }
    const std::lock_guard lock(mutex_);
    for (std::string& text : news) news_.push_back(std::move(text));
    busy_ = false;
  });
}

std::vector<std::string> Helpers::news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void Helpers::end(bool follows) {
  thread_.put([this, follows] {
    try {
      jobs_.end(follows);
    } catch (const Error&) {
      // Their agents find that the launcher is gone.
    }
  });
  thread_.drain();
}

}  // namespace slipway::job
