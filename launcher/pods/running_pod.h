// A pod that runs on a node: its streams, and how it ended.
#pragma once

#include <poll.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/pods/pod_script.h"
#include "launcher/pods/policy.h"

namespace slipway::pods {

class RunningPod {
 public:
  RunningPod(const JobSet& set, const ReplicatedJob& job, const Pod& pod,
             const local::DeploymentFolder& folder);

  bool has_ended() const { return ended_; }
  // Of its containers; without any, the node ended the pod.
  const std::vector<Ended>& containers() const { return containers_; }
  bool has_succeeded() const;
  bool is_ready() const { return ready_ && !ended_; }  // all containers run
  int64_t restarts() const { return restarts_; }       // of containers

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
  void note(const std::string& line);

  const std::string name_, mark_;
  std::string script_;  // the part that is not written yet
  Fd connection_, input_, output_, errors_;
  std::string output_line_, errors_line_;
  std::optional<int> exit_code_;
  std::vector<Ended> containers_;
  int64_t restarts_ = 0;
  bool ended_ = false, ready_ = false;
};

}  // namespace slipway::pods
