// Tells the job's user what happens to the job.
#include "launcher/job/job_teller.h"

#include <fmt/core.h>

#include <ctime>
#include <utility>

#include "common/environment.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/job/launcher.h"
#include "launcher/job/requeue.h"
#include "launcher/tell/spares.h"

namespace slipway::job {
namespace {

// A job that fails again and again is not told more often.
constexpr int most_told = 10;
constexpr double told_minutes = 60;

// Adds a note to the job's comment. A failure costs the administrators a message, and the job
// nothing.
void note_no_spares(const std::string& job, int64_t blamed) {
  RealSlurmPrograms slurm;
  std::vector<std::string> words = without_environment();
  words.insert(words.end(), {"squeue", "--noheader", "--jobs=" + job, "--format=%k"});
  const ProcessResult known = slurm.run(words, "");
  if (!known.ok()) return;
  std::string comment(trim(known.output));
  if (comment == "(null)") comment.clear();
  slurm.run(
      {"scontrol", "update", "JobId=" + job, "Comment=" + tell::with_spares_note(comment, blamed)},
      "");
}

}  // namespace

health::Telling told_by_launcher(const std::vector<std::string>& words) {
  health::Telling telling;
  telling.sendmail = "/usr/sbin/sendmail";
  telling.most = most_told;
  telling.minutes = told_minutes;
  const auto set_once = [](std::string& value, const std::string& word) {
    if (!value.empty()) throw UsageError("--tell takes one program and one URL: " + word);
    value = word;
  };
  for (const std::string& word : words) {
    if (health::is_plain_url(word)) {
      set_once(telling.webhook, word);
    } else if (health::is_told_path(word)) {
      set_once(telling.program, word);
    } else if (health::is_mail_address(word)) {
      telling.mail.push_back(word);
    } else {
      throw UsageError(fmt::format(
          "--tell takes a program's absolute path, an http:// or https:// URL, or a mail address, "
          "not `{}`",
          word));
    }
  }
  return telling;
}

JobTeller::JobTeller(const std::vector<std::string>& words, std::string job)
    : job_(std::move(job)),
      cluster_(environment_variable("SLURM_CLUSTER_NAME")),
      tells_(!words.empty()),
      teller_(told_by_launcher(words), Launcher::say) {}

void JobTeller::no_spares(int64_t blamed, const std::string& text) {
  comments_.put([job = job_, blamed] { note_no_spares(job, blamed); });
  tell("spares", text);
}

void JobTeller::tell(const std::string& event, const std::string& text) {
  if (!tells_) return;
  thread_.put([this, message = tell::Message{event, cluster_, "", job_, text}] {
    const auto now = std::time(nullptr);
    teller_.tell(message, now);
    teller_.send(cluster_, now);
  });
}

}  // namespace slipway::job
