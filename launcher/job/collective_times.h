// The times of one communicator's collectives within a window: which host the others wait for.
//
// All ranks leave a collective together, so the rank with the shortest time came last. Where a
// plugin records every collective, each is compared by its number. A plugin that records a sample
// (inspector_files.h) seldom has the same numbers of all ranks: then the times of a rank, less the
// usual time of that function and size, are compared with those of all other hosts. That is
// weaker, so nearly every time of the late rank must be shorter, not only their median.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/job/rank_sample.h"

namespace slipway::job {

class CollectiveTimes {
 public:
  using Function = std::string;
  using Operation = std::pair<Function, int64_t>;  // and its size in bytes

  struct Lateness {
    double share = 0;  // of the window, how long the others wait for the host
    // How much of that its program is late, too; the rest is its GPUs'. Empty: nobody reports when
    // programs call collectives.
    std::optional<double> of_program;
  };

  // False if it tells nothing new.
  bool add(const RankCollective& seen);
  // By host; empty if too few can be compared. `nodes`: of each rank of the job.
  std::map<std::string, Lateness> lateness(const std::vector<std::string>& nodes,
                                           double seconds) const;
  // Begins the next window.
  void clear();

  int64_t ranks() const { return ranks_; }
  // In this window.
  bool is_empty() const { return collectives_.empty(); }
  // The number that each rank has last entered.
  const std::map<Function, std::map<int64_t, int64_t>>& last() const { return last_; }
  // In GB/s.
  const std::map<Operation, std::vector<double>>& speeds() const { return speeds_; }

 private:
  struct Part {
    double microseconds = 0, start_microseconds = 0;  // 0: unknown
    int64_t bytes = 0, stands_for = 1;
  };
  using ByRank = std::map<int64_t, Part>;
  using ByHost = std::map<std::string, Lateness>;

  ByHost by_number(const std::vector<std::string>& nodes, double seconds) const;
  ByHost by_sample(const std::vector<std::string>& nodes, double seconds) const;
  // Each rank's times, as differences from what is usual for the operation.
  std::map<int64_t, std::vector<double>> differences() const;
  double count() const;

  int64_t ranks_ = 0;
  std::map<std::pair<Function, int64_t>, ByRank> collectives_;  // of this window, by number
  std::map<Function, std::map<int64_t, int64_t>> last_, last_ended_;
  std::map<Operation, std::vector<double>> speeds_;
};

}  // namespace slipway::job
