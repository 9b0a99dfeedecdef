// Decides whether a failed program is restarted.
#include "launcher/job/restarts.h"

#include <fmt/core.h>

#include "common/count.h"

namespace slipway::job {

std::string Restarts::reason_to_stop(const Verdict& verdict, bool progressed) {
  if (progressed) without_progress_ = 0;
  if (verdict.blame != Blame::node && !verdict.undecided) ++without_progress_;
  if (verdict.permanent) return "another attempt would fail too: not restarting";
  if (without_progress_ <= most_) return "";
  return fmt::format("{} without progress: not restarting",
                     counted(static_cast<size_t>(without_progress_), "failure"));
}

}  // namespace slipway::job
