// From what a job asks for to what the runtime makes: the container to use, and its plan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spank-plugins/container/places.h"
#include "spank-plugins/container/request.h"
#include "spank-plugins/container/runtime.h"
#include "spank-plugins/container/settings.h"

namespace slipway::container {

// What a step does with the container that it asks for.
enum class Way {
  make,    // of an image
  reuse,   // start the files of a named container again
  attach,  // join the tasks to the running container
};

// The parts of a container that exist.
struct Existing {
  bool made = false;     // its files
  bool running = false;  // its namespaces
};

// Throws Error if the flags of the name, or a missing image, forbid it.
Way choose_way(const Request& request, const Existing& existing);

// Throws Error if the step wants namespaces of its own that the container which it joins has not:
// `namespaces` are the container's CLONE_NEW….
void check_joined(const Request& request, int namespaces);

// Everything of a plan that follows from the request and the settings. `folder`: where relative
// paths of the node begin.
ContainerPlan plan_of(const Request& request, const Settings& settings,
                      const std::filesystem::path& folder);

// The changes without those of variables in `kept` that the task has by now: a plugin above ours in
// plugstack.conf, such as nccl_env, sets some only in the task.
EnvironmentChanges without_kept(EnvironmentChanges changes, const std::vector<std::string>& kept,
                                const Environment& task);

// How a container's environment differs from the job's: it is applied to each task, whose own
// variables Slurm sets later.
EnvironmentChanges changes_of(const Environment& job, const Environment& task);

// What a user should know about a container that is not made: settings that do nothing then.
std::vector<std::string> notes_on(const Request& request, Way way, const std::string& asked_before);

}  // namespace slipway::container
