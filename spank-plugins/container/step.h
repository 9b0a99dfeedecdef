// The container of one step on this node: slurmstepd's part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spank-plugins/container/as_user.h"
#include "spank-plugins/container/importing.h"
#include "spank-plugins/container/planning.h"
#include "spank-plugins/container/runtime.h"

namespace slipway::container {

// What the plugin knows when the step begins.
struct StepFacts {
  Settings settings;
  Request request;
  User user;
  StepId id;
  Environment job;
  std::filesystem::path folder;        // the job's working directory
  std::filesystem::path batch_script;  // empty: not a batch script
};

// A container that is up, with what belongs to the step.
class StepContainer {
 public:
  // In user_init, with the user's effective ids. Throws Error; nothing of the step is left then.
  explicit StepContainer(StepFacts facts);

  const Container& container() const { return container_; }
  // What the image changes of the job's environment.
  const EnvironmentChanges& changes() const { return changes_; }
  // What to print before the first task starts.
  const std::vector<std::string>& notes() const { return notes_; }

  // Writes the container's files where --container-save says. Throws Error.
  void save() const;

  // Ends the container if this step started it, with what other steps have in it, and removes what
  // no further step can use. As root; throws Error.
  void finish();

 private:
  void choose_folder();
  void begin();
  void start_anew(Way way);
  void attach_to(const Running& running);
  std::filesystem::path image_file(Way way);
  void read_entrypoint_log(const std::filesystem::path& log);

  StepFacts facts_;
  std::filesystem::path place_;
  Container container_;
  bool temporary_ = false;  // the folder goes with the step
  bool own_ = false;        // this step has started the container
  Fd lock_;                 // of the folder
  EnvironmentChanges changes_;
  std::vector<std::string> notes_;
};

// At the end of a job: removes the containers of its steps that were left, and those in its scope.
// As root; throws Error.
void remove_containers(const Settings& settings, uid_t user, uint32_t job);

}  // namespace slipway::container
