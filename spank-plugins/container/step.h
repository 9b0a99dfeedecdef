// The container of one step on this node: making it, or joining another step's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spank-plugins/container/as_user.h"
#include "spank-plugins/container/importing.h"
#include "spank-plugins/container/joined_lock.h"
#include "spank-plugins/container/outcome.h"
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
  int life = -1;  // a descriptor that is readable when slurmstepd lets go of the step
};

// The container of the step, in the process that makes and holds it: step_start.h.
class StepContainer {
 public:
  // With the user's effective ids, and root as the saved one. Throws Error; nothing of the step is
  // left then.
  explicit StepContainer(StepFacts facts);

  Outcome outcome() const;

  // Ends the container if no other step is in it; otherwise the last of them does.
  void end();

 private:
  void choose_folder();
  void check_save();
  void begin();
  void start_anew(Way way);
  std::optional<Running> join_running();
  void attach_to(const Running& running);
  std::filesystem::path image_file(Way way);
  void read_entrypoint_log(const std::filesystem::path& log);

  StepFacts facts_;
  std::filesystem::path place_;
  Container container_;
  bool temporary_ = false;  // the folder goes with the step
  bool own_ = false;        // this step has started the container
  bool imported_ = false;   // by a program that learns when the image is no longer needed
  Fd lock_;                 // of the folder
  JoinedLock joined_;
  EnvironmentChanges changes_;
  std::vector<std::string> notes_;
};

// The file of --container-save, which the request has.
std::filesystem::path place_to_save(const StepFacts& facts);

// The import of the step's image into the folder of its container.
Importing importing_of(const StepFacts& facts, const std::filesystem::path& place);

}  // namespace slipway::container
