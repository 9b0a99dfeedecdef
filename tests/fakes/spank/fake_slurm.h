// A fake of Slurm's SPANK host: it loads a built plugin as sbatch, srun, salloc, slurmd and
// slurmstepd do, calls it in Slurm's order, and answers its spank_* calls by Slurm's rules (spank.h
// of 22.05).
//
// Each function below acts as one Slurm process: it loads the plugin and unloads it at the end.
// The program that uses this must export its symbols (export_dynamic), as Slurm's programs do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spank-plugins/spank/api.h"

namespace fake_slurm {

using Environment = std::map<std::string, std::string>;

// The release of Slurm that this program is, while it exists: plugins for another are refused, as
// by plugin.c. Without one, every plugin is loaded, and the number of the API is unknown.
class Release {
 public:
  Release(long api, unsigned version);
  ~Release();
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
};

// A line of plugstack.conf.
struct Plugin {
  std::string path;
  std::vector<std::string> arguments;
};

// Values of the plugin's first option, and "--name" of options without a value, in Slurm's order:
// an inherited default first, then those from the command line.
using OptionValues = std::vector<std::string>;

struct Submission {
  bool accepted = false;         // the command continues
  std::vector<std::string> log;  // lines of slurm_error
  OptionValues inherited;        // what reaches the job: the last accepted value of each
  Environment kept;              // variables that reach the job even with --export=NONE
};

// Runs sbatch or salloc (S_CTX_ALLOCATOR), or srun (S_CTX_LOCAL), up to the launch.
Submission submit(spank_context_t context, const Plugin& plugin, const OptionValues& values = {});

struct Task {
  bool started = true;  // false: the plugin ended it before its program started
  Environment environment;
  std::string errors;  // on stderr when its program starts
  double seconds = 0;  // in the plugin
};

// Where a step runs. With GPUs, Slurm sets each task's GPU variables before it calls task_init;
// Task::environment does not include them.
struct Place {
  uint32_t nodes = 2;
  uint32_t node = 0;  // this node's number in the step
  bool gpus = true;
  Environment image = {};  // a container's, applied before task_init
};

struct Step {
  bool failed = false;  // a callback failed: with `required`, the node might be drained
  std::vector<std::string> log;
  std::vector<Task> tasks;
  double seconds = 0;  // in the plugin, before tasks exist
};

// Runs one slurmstepd with `task_count` tasks, whose ranks begin at `first_task`.
Step run_step(const Plugin& plugin, const Environment& environment, const OptionValues& values = {},
              int task_count = 1, int first_task = 0, const Place& place = {});

// What slurmctld reports about a job: its state and why it waits, as in slurm.h.
struct JobRecord {
  uint32_t state = 0;
  uint32_t reason = 0;
};

struct Launch {
  bool failed = false;
  size_t questions = 0;  // queries to slurmctld about its job
  std::vector<std::string> log;
};

// Runs srun from a step's creation to its launch. slurmctld gives the answers one after another and
// then repeats the last; without any it does not answer.
Launch launch(const Plugin& plugin, uint32_t step, const std::vector<JobRecord>& answers);

struct JobScript {
  bool failed = false;  // with `required`, the job would be requeued and the node drained
  std::vector<std::string> log;
};

// Runs a job's prolog ("slurm_spank_job_prolog") or epilog, in a process that has not called init.
// `option` is the job's value of the plugin's option; empty: none.
JobScript run_job_script(const Plugin& plugin, const char* callback, uint32_t job,
                         const std::string& option = {});

// Starts slurmd. Returns its log.
std::vector<std::string> start_slurmd(const Plugin& plugin);

}  // namespace fake_slurm
