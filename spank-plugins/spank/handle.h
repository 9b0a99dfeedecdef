// A plugin's view of the job that it runs in: spank_t, with Slurm's error codes turned into values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "spank-plugins/spank/api.h"

namespace slipway::spank {

// How a call into Slurm went.
class Status {
 public:
  explicit Status(spank_err_t code) : code_(code) {}
  explicit operator bool() const { return code_ == ESPANK_SUCCESS; }
  const char* text() const { return spank_strerror(code_); }

 private:
  spank_err_t code_;
};

// A command line option of sbatch, srun and salloc that takes a value. The texts must live as long
// as the plugin.
struct Option {
  const char* name;        // "nccl-env": --nccl-env
  const char* value_name;  // "on|off|show"
  const char* usage;       // for `srun --help`
  // 0, or -1 to refuse the value. `remote` is 0 in the command that the user typed and 1 on a node.
  // Slurm may call it several times; the last call counts.
  int (*take)(int unused, const char* value, int remote);
};

// "NAME=value" lines up to a null pointer, as environ. Of a name that stands twice, the first
// counts, as for getenv().
std::map<std::string, std::string> read_environment(char** variables);

// Valid during the callback that Slurm gave the spank_t to.
class Handle {
 public:
  explicit Handle(spank_t spank) : spank_(spank) {}

  // Only in slurm_spank_init, and in every context: a static table would be missing from sbatch.
  Status register_option(const Option& option) const;

  // The environment of the job's tasks, on a node. Nothing where Slurm does not give it.
  std::optional<std::map<std::string, std::string>> environment() const;

  // One variable of it, without a copy of all: this is what a task can afford.
  std::optional<std::string> variable(std::string_view name) const;

  // Change what the tasks will see. On a node only; in sbatch and srun it is the process's own.
  Status setenv(const std::string& name, const std::string& value) const;
  Status unsetenv(const std::string& name) const;

  // The task's rank in its step, and on its node; in task callbacks only.
  std::optional<uint32_t> global_task_id() const;
  std::optional<uint32_t> local_task_id() const;

  // Of the step: how many nodes it has, and which of them this is, from 0. On a node only.
  std::optional<uint32_t> node_count() const;
  std::optional<uint32_t> node_id() const;

 private:
  char** variables() const;  // null where Slurm does not give it
  std::optional<uint32_t> number(spank_item_t item) const;

  spank_t spank_;
};

}  // namespace slipway::spank
