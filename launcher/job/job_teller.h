// Tells the job's user, while the job runs, of failures and of a lack of spares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job/async_writer.h"
#include "launcher/tell/teller.h"

namespace slipway::job {

// Whom `--tell` names: absolute paths of programs, URLs, and mail addresses, at most one program
// and one URL. Throws UsageError.
health::Telling told_by_launcher(const std::vector<std::string>& words);

// Sends on a thread: a webhook that hangs delays no restart.
class JobTeller {
 public:
  JobTeller(const std::vector<std::string>& words, std::string job);

  void failure(const std::string& text) { tell("job-failure", text); }
  void finding(const std::string& text) { tell("finding", text); }
  // Also the cluster's administrators, through the job's comment.
  void no_spares(int64_t blamed, const std::string& text);
  // Before someone else changes the job's comment: waits until it is written.
  void finish_comment() { comments_.drain(); }

 private:
  void tell(const std::string& event, const std::string& text);

  std::string job_, cluster_;
  bool tells_;
  tell::Teller teller_;  // used on the thread only
  AsyncWriter comments_;
  AsyncWriter thread_;  // last: ends before what it uses
};

}  // namespace slipway::job
