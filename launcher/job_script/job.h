// A job as its sbatch script describes it. Reading a script runs nothing of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job_script/walk.h"
#include "launcher/source/diagnostics.h"

namespace slipway::job_script {

struct ScriptOption {
  std::string name;  // "nodes"
  bool has_value = false;
  ShellValue value;
  source::Span place;
};

// A request and its place. An empty place: nobody requests it.
template <class T>
struct Asked {
  T value{};
  source::Span place;
  explicit operator bool() const { return static_cast<bool>(place); }
};

struct NodeCount {
  int64_t least = 1, most = 1;  // --nodes=2-4
};

// The numbers in the options of a job or a step.
struct Resources {
  Asked<NodeCount> nodes;
  Asked<int64_t> tasks, tasks_per_node, cpus_per_task;
  Asked<int64_t> gpus_per_node;  // from --gpus-per-node, --gres, --gpus or --gpus-per-task
  Asked<int64_t> time_seconds;   // 0: without a limit
  Asked<int64_t> memory_mib;     // of a node; 0: all of it
};

struct ContainerMount {
  std::string source, target;
  std::vector<std::string> flags;    // "ro", "mkdir"
  std::vector<std::string> unknown;  // variables in either path
};

// A command that starts tasks on the nodes of the job.
struct JobStep {
  ScriptCommand command;
  bool is_launch = false;  // `slipway launch`, which also restarts them
  std::vector<ScriptOption> options;
  std::vector<ScriptWord> program;  // and its arguments
  std::vector<ContainerMount> mounts;
  Resources resources;

  const ScriptOption* find(std::string_view name) const;
};

struct JobScript {
  std::string name;  // "train.sbatch"
  source::Span text;
  std::vector<ScriptOption> options;  // of all #SBATCH lines, in their order
  source::Span next_component;        // of a heterogeneous job; may be empty
  Resources resources;
  std::vector<JobStep> steps;
  Walked walked;  // the rest

  // The one that counts: the last. nullptr without one.
  const ScriptOption* find(std::string_view name) const;
  std::string text_of(std::string_view option) const;  // its value, or ""
};

// Reports what sbatch and srun would refuse (E0601). `input.script` is a text of `sources`.
JobScript read_job(const std::string& name, const WalkInput& input, source::Sources& sources,
                   source::Diagnostics& diagnostics);

// `#SLIPWAY` lines: options of `slipway job convert` that belong to the job. Their words.
std::vector<ScriptWord> words_for_slipway(std::string_view script, source::Span place);

}  // namespace slipway::job_script
