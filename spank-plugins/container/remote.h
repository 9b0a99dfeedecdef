// The plugin in slurmstepd, on a node of the job: one process per step and node.
#pragma once

#include <optional>
#include <string>

#include "spank-plugins/container/options.h"
#include "spank-plugins/container/settings.h"
#include "spank-plugins/spank/handle.h"

namespace slipway::container::remote {

// `wrong`: why plugstack.conf is invalid; then a job that asks for a container fails.
void begin(std::optional<Settings> settings, std::string wrong);

void take_option(const OptionRow& option, const char* value);

// In init_post_opt, as root: what the job asks for, and the user's folder.
void prepare(spank_t spank);

// In user_init: starts the container, or joins the step to the one that runs. A failure is kept for
// the tasks: srun would return 0 for one of user_init
// (https://bugs.schedmd.com/show_bug.cgi?id=7573).
void user_init(spank_t spank);

// Moves a task into the container. False if the task must not start, after it has printed why.
bool task_init(spank_t spank);

// As root, when a task has ended.
void task_exit(spank_t spank);

// As root, at the end of the step.
void finish();

}  // namespace slipway::container::remote
