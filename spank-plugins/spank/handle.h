// A plugin's view of the job that it runs in: wraps spank_t, and turns error codes into values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "spank-plugins/spank/api.h"

namespace slipway::spank {

// The result of a call into Slurm.
class Status {
 public:
  explicit Status(spank_err_t code) : code_(code) {}
  explicit operator bool() const { return code_ == ESPANK_SUCCESS; }
  const char* text() const { return spank_strerror(code_); }

 private:
  spank_err_t code_;
};

// A command line option of sbatch, srun and salloc. The texts must live as long as the plugin.
struct Option {
  const char* name;        // "nccl-env": --nccl-env
  const char* value_name;  // "on|off|show"; null: it takes no value, and `take` gets a null pointer
  const char* usage;       // for `srun --help`
  // Returns 0, or -1 to reject the value. `remote` is 0 in the command that the user ran, and 1 on
  // a node. Slurm may call this several times; the last call wins.
  int (*take)(int unused, const char* value, int remote);
};

// Reads "NAME=value" strings up to a null pointer, such as environ. If a name is there twice, the
// first wins, as with getenv().
std::map<std::string, std::string> read_environment(char** variables);

// Valid during the callback that received the spank_t.
class Handle {
 public:
  explicit Handle(spank_t spank) : spank_(spank) {}

  // Call only in slurm_spank_init, but in every context: sbatch would not see a static table.
  Status register_option(const Option& option) const;

  // The environment of the job's tasks, on a node. Empty if Slurm does not provide it.
  std::optional<std::map<std::string, std::string>> environment() const;

  // One variable, without copying the whole environment: cheap enough for every task.
  std::optional<std::string> variable(std::string_view name) const;

  // Change what the tasks will see. Works on a node only; in sbatch and srun, it changes the
  // process.
  Status setenv(const std::string& name, const std::string& value) const;
  Status unsetenv(const std::string& name) const;

  // The task's rank in its step, and on its node; in task callbacks only.
  std::optional<uint32_t> global_task_id() const;
  std::optional<uint32_t> local_task_id() const;

  // The number of nodes of the step, and the index of this one, from 0. On a node only.
  std::optional<uint32_t> node_count() const;
  std::optional<uint32_t> node_id() const;

 private:
  char** variables() const;  // null if Slurm does not provide it
  std::optional<uint32_t> number(spank_item_t item) const;

  spank_t spank_;
};

}  // namespace slipway::spank
