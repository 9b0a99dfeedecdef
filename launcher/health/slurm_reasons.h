// Reasons with which Slurm itself drains or downs a node. Users cannot set reasons.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace slipway::health {

// Our prolog or epilog failed, as slurmctld sees it.
inline constexpr std::string_view prolog_failed = "Prolog error";
inline constexpr std::string_view epilog_failed = "Epilog error";

// slurmctld was killed, and restarted with a state that it saved before it sent a job: it sends the
// job again. slurmd refuses the second copy while the first one runs; slurmctld then drains the
// node and requeues the job. Nothing is wrong with the node, which may serve once the first copy
// has ended. slurmctld 22.05 to 24.11, _slurm_rpc_complete_batch_script.
inline constexpr std::string_view second_launch = "Duplicate jobid";

// A step did not end within UnkillableStepTimeout. What held it may have let go since: a file
// server that answers again, a GPU that was reset. With Slurm 22.05, nothing need have held it: if
// two other nodes of the job are lost at once, a slurmstepd gets two requests to end, and may wait
// for itself (step_terminate_monitor.c).
inline constexpr std::string_view unkillable_step = "Kill task failed";

// slurmd could not write a job's script: the file system filled up after the prolog. The check of
// disks says when it has room again (slurmd/req.c).
inline constexpr std::string_view full_spool = "SlurmdSpoolDir is full";

inline bool is_reason_of_slurm(std::string_view reason) {
  constexpr std::array reasons = {prolog_failed,
                                  epilog_failed,
                                  second_launch,
                                  unkillable_step,
                                  full_spool,
                                  std::string_view("Not responding"),
                                  std::string_view("Node unexpectedly rebooted"),
                                  std::string_view("batch job complete failure")};
  return std::ranges::find(reasons, reason) != reasons.end();
}

}  // namespace slipway::health
