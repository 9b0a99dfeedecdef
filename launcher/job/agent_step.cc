// Starts and ends the Slurm step in which the agents run.
#include "launcher/job/agent_step.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "common/child.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/installation.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/job/container_place.h"

namespace slipway::job {
namespace {

std::vector<std::string> srun_words(const std::vector<std::string>& nodes, const char* name,
                                    const std::vector<std::string>& options) {
  const std::string count = std::to_string(std::max<size_t>(nodes.size(), 1));
  std::vector<std::string> words = {
      "srun",
      std::string("--job-name=") + name,
      "--overlap",  // runs beside other steps of the script
      "--nodes=" + count,
      "--ntasks=" + count,
      "--ntasks-per-node=1",
      // Losing a node ends neither the step nor the agents on other nodes.
      "--no-kill",
      "--kill-on-bad-exit=0",
      "--wait=0",
      "--mem=0",
      "--mpi=none",
      "--input=none",
  };
  if (!nodes.empty()) words.push_back("--nodelist=" + join(nodes, ","));
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

// What users set instead of options; the agents themselves run outside of the container.
void leave_container() {
  std::vector<std::string> names;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    if (entry.starts_with("PYXIS_CONTAINER_")) names.emplace_back(entry.substr(0, entry.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

// The user's mounts, if they are in the environment: an option takes their place.
std::string mounts_of(const LaunchContainer& container) {
  return container.mounts.empty() ? environment_variable("PYXIS_CONTAINER_MOUNTS")
                                  : container.mounts;
}

}  // namespace

Variables take_step_options() {
  constexpr std::array names = {"SLURM_NTASKS",
                                "SLURM_NPROCS",
                                "SLURM_NTASKS_PER_NODE",
                                "SLURM_TASKS_PER_NODE",
                                "SLURM_CPUS_PER_TASK",
                                "SLURM_DISTRIBUTION",
                                "SLURM_CPU_BIND",
                                "SLURM_CPU_BIND_TYPE",
                                "SLURM_CPU_BIND_LIST",
                                "SLURM_CPU_BIND_VERBOSE",
                                "SLURM_MEM_PER_CPU",
                                "SLURM_MEM_PER_GPU",
                                "SLURM_MEM_PER_NODE",
                                "SLURM_GPUS_PER_TASK",
                                "SLURM_NTASKS_PER_GPU",
                                "SLURM_NTASKS_PER_CORE",
                                "SLURM_NTASKS_PER_SOCKET",
                                "SLURM_THREADS_PER_CORE",
                                "SLURM_TRES_PER_TASK",
                                "SLURM_GPU_BIND",
                                "SLURM_EXACT",
                                "SLURM_STEP_GRES"};
  Variables taken;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) taken[name] = value;
    ::unsetenv(name);
  }
  return taken;
}

std::vector<std::string> agent_command(const std::vector<std::string>& nodes,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> words = srun_words(nodes, "slipway-launch", options);
  words.insert(words.end(),
               {(find_installation().programs() / "slipway").native(), "launch", "--agent"});
  return words;
}

AgentStep::AgentStep(const std::vector<std::string>& nodes, const Variables& variables,
                     const std::vector<std::string>& options) {
  start(agent_command(nodes, options), variables, /*for_container=*/false);
}

AgentStep::AgentStep(const std::vector<std::string>& nodes, const LaunchContainer& container,
                     const std::vector<std::string>& options, const std::filesystem::path& folder) {
  std::vector<std::string> words = srun_words(nodes, "slipway-container", options);
  words.insert(words.end(), container.options.begin(), container.options.end());
  const std::string mounts = mounts_of(container);
  words.push_back(fmt::format("--container-mounts={}{}{}:{}", mounts, mounts.empty() ? "" : ",",
                              folder.native(), folder.native()));
  for (std::string& word : holding_command(folder)) words.push_back(std::move(word));
  start(std::move(words), {}, /*for_container=*/true);
}

void AgentStep::start(std::vector<std::string> words, const Variables& variables,
                      bool for_container) {
  const std::vector<char*> argv = pointers(words);
  pid_ = fork_child("srun");
  if (pid_ > 0) return;
  if (!for_container) leave_container();
  ::setpgid(0, 0);  // the launcher passes a terminal's signals on
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  unblock_signals();
  ::execvp(argv[0], argv.data());
  ::dprintf(2, "slipway launch: cannot start srun: %s\n", std::strerror(errno));
  ::_exit(127);
}

bool AgentStep::runs() {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ > 0;
}

// Also stops the child process of srun that cancels the step when srun is killed.
void AgentStep::hold(bool stops) {
  if (runs()) ::kill(-pid_, stops ? SIGSTOP : SIGCONT);
}

void AgentStep::abandon() {
  if (!runs()) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

AgentStep::~AgentStep() {
  // srun also waits for agents on lost nodes, until Slurm has noticed.
  constexpr std::array ways = {0, SIGTERM, SIGKILL};
  for (const int signal : ways) {
    if (signal != 0 && runs()) ::kill(pid_, signal);
    for (int i = 0; i < 150 && runs(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

}  // namespace slipway::job
