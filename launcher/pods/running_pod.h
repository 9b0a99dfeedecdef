// A pod that runs on a node: its streams, and how it ended.
#pragma once

#include <poll.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/pods/placement.h"

namespace slipway::pods {

class RunningPod {
 public:
  RunningPod(const JobSet& set, const PlacedPod& placed, const local::DeploymentFolder& folder);

  const PlacedPod& placed() const { return placed_; }
  bool has_ended() const { return ended_; }
  int code() const { return code_; }                           // of the container that ended it
  const std::string& container() const { return container_; }  // empty: the node ended it

  void end() { input_.reset(); }        // SIGTERM
  void kill() { connection_.reset(); }  // whatever is left

  // Appends what to poll, and takes what poll() found in the same entries.
  void add_to(std::vector<pollfd>& polled) const;
  void take(const pollfd* polled);
  static constexpr size_t entries = 4;

 private:
  void write_script();
  void copy(Fd& from, std::string& line, std::FILE* to);
  void print(const std::string& line, std::FILE* to);

  const PlacedPod& placed_;
  std::string script_;  // the part that is not written yet
  Fd connection_, input_, output_, errors_;
  std::string output_line_, errors_line_;
  std::optional<int> exit_code_;
  std::string container_;
  int code_ = 0;
  bool ended_ = false;
};

}  // namespace slipway::pods
