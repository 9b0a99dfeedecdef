// How often a failed program is started again.
#include "launcher/job/restarts.h"

#include <fmt/format.h>

#include "launcher/job/count.h"

namespace slipway::job {

std::string Restarts::why_none(const Verdict& verdict, bool progressed) {
  if (progressed) without_progress_ = 0;
  if (verdict.blame != Blame::node && !verdict.undecided) ++without_progress_;
  if (verdict.for_ever) return "another attempt cannot end otherwise: no further restart";
  if (without_progress_ <= most_) return "";
  return fmt::format("{} without progress: no further restart",
                     count(static_cast<size_t>(without_progress_), "failure"));
}

}  // namespace slipway::job
