// The start of a step's container, as slurmstepd and its tasks see it.
//
// A process of its own makes the container and holds it: an import or an image's /etc/rc can take
// any time, and slurmstepd has to be able to end the step meanwhile. Tasks wait, and Slurm can kill
// them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "common/fd.h"
#include "spank-plugins/container/outcome.h"
#include "spank-plugins/container/saving.h"
#include "spank-plugins/container/step.h"

namespace slipway::container {

class StepStart {
 public:
  // In user_init, with the user's effective ids and root as the saved one. Throws Error.
  explicit StepStart(StepFacts facts);

  // In a task: waits until the container is up, or has failed to come up.
  Outcome wait() const;

  // In a task, before it joins the container: Saving::follow_task, if the step saves its container.
  // Returns whether the caller is now another process.
  bool follow_task(uint32_t tasks, const std::function<void(const std::string&)>& print) const;

  // After the last task: saves the container if the tasks were killed before they could. Throws
  // Error.
  void save() const;

  // As root, at the end of the step: ends the container if this step started it, and removes what
  // no further step can use. Throws Error.
  void finish();

 private:
  Outcome read_outcome() const;
  void end_maker();

  void write_image() const;

  StepFacts facts_;
  std::unique_ptr<Saving> saving_;  // if the step saves its container
  pid_t maker_ = 0;
  Fd process_;  // a pidfd of the maker
  Fd outcome_;  // a file in memory that it fills
  Fd ready_;    // ends when it has done so
  Fd life_;     // it ends the container when this is closed
};

// What a task needs to join the container of an outcome. Throws Error.
Container container_of(const Outcome& outcome);

// At the end of a job: removes the containers of its steps that were left, and those in its scope.
// As root; throws Error.
void remove_containers(const Settings& settings, uid_t user, uint32_t job);

}  // namespace slipway::container
