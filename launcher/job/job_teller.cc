// Tells the job's user what happens to the job.
#include "launcher/job/job_teller.h"

#include <fmt/core.h>

#include <ctime>
#include <utility>

#include "common/environment.h"
#include "common/error.h"
#include "launcher/job/launcher.h"

namespace slipway::job {
namespace {

// A job that fails again and again is not told more often.
constexpr int most_told = 10;
constexpr double told_minutes = 60;

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

void JobTeller::tell(const std::string& event, const std::string& text) {
  if (!tells_) return;
  thread_.put([this, message = tell::Message{event, cluster_, "", job_, text}] {
    const auto now = std::time(nullptr);
    teller_.tell(message, now);
    teller_.send(cluster_, now);
  });
}

}  // namespace slipway::job
