// A fake of Slurm's SPANK host: it loads a built plugin as sbatch, srun, salloc, slurmd and
// slurmstepd do, calls it in Slurm's order, and answers its spank_* calls by Slurm's rules (spank.h
// of 22.05).
//
// Each function below is one process of Slurm's: the plugin is loaded for it and unloaded after it.
// The program that uses this must export its symbols (export_dynamic), as Slurm's do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spank-plugins/spank/api.h"

namespace fake_slurm {

using Environment = std::map<std::string, std::string>;

// A line of plugstack.conf.
struct Plugin {
  std::string path;
  std::vector<std::string> arguments;
};

// Values of the plugin's one option, in the order in which Slurm hands them over: an inherited
// default first, then what stands on the command line.
using OptionValues = std::vector<std::string>;

struct Submission {
  bool accepted = false;         // the command goes on
  std::vector<std::string> log;  // lines of slurm_error
  OptionValues inherited;        // what reaches the job: the last value that was accepted
  Environment kept;              // variables that do so, also with --export=NONE
};

// sbatch or salloc (S_CTX_ALLOCATOR), srun (S_CTX_LOCAL), up to the launch.
Submission submit(spank_context_t context, const Plugin& plugin, const OptionValues& values = {});

struct Task {
  bool started = true;  // false: the plugin ended it before its program began
  Environment environment;
  std::string errors;  // what it has on stderr when its program starts
  double seconds = 0;  // in the plugin
};

// Where a step runs. With GPUs, Slurm tells each task of them before it calls the plugin's
// task_init; that is left out of Task::environment.
struct Place {
  uint32_t nodes = 2;
  uint32_t node = 0;  // this one's number in the step
  bool gpus = true;
  Environment image = {};  // of a container: laid over the environment before task_init
};

struct Step {
  bool failed = false;  // a callback returned an error: with `required`, the node could drain
  std::vector<std::string> log;
  std::vector<Task> tasks;
  double seconds = 0;  // in the plugin, before there are tasks
};

// One slurmstepd: `task_count` tasks whose ranks begin with `first_task`.
Step run_step(const Plugin& plugin, const Environment& environment, const OptionValues& values = {},
              int task_count = 1, int first_task = 0, const Place& place = {});

// What slurmctld knows of a job: its state, and why it waits, as in slurm.h.
struct JobRecord {
  uint32_t state = 0;
  uint32_t reason = 0;
};

struct Launch {
  bool failed = false;
  size_t questions = 0;  // to slurmctld, of its job
  std::vector<std::string> log;
};

// srun, between a step's beginning and its launch. slurmctld gives the answers one after the other,
// and the last one ever after; without any it does not answer.
Launch launch(const Plugin& plugin, uint32_t step, const std::vector<JobRecord>& answers);

struct JobScript {
  bool failed = false;  // with `required`, the job would be queued again and the node drained
  std::vector<std::string> log;
};

// The prolog ("slurm_spank_job_prolog") or epilog of a job, in a process that has not called init.
// `option` is the job's value of the plugin's option; empty: none.
JobScript run_job_script(const Plugin& plugin, const char* callback, uint32_t job,
                         const std::string& option = {});

// slurmd's start. Its log.
std::vector<std::string> start_slurmd(const Plugin& plugin);

}  // namespace fake_slurm
