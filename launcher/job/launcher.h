// A training job while it runs: its agents, its attempts, and what is decided after a failure.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/secret.h"
#include "launcher/checkpoint/board.h"
#include "launcher/job/agent_settings.h"
#include "launcher/job/agent_step.h"
#include "launcher/job/agents.h"
#include "launcher/job/allocation.h"
#include "launcher/job/async_writer.h"
#include "launcher/job/attempt.h"
#include "launcher/job/choose_nodes.h"
#include "launcher/job/energy_tally.h"
#include "launcher/job/frameworks.h"
#include "launcher/job/growth.h"
#include "launcher/job/helpers.h"
#include "launcher/job/job_ledger.h"
#include "launcher/job/job_state.h"
#include "launcher/job/job_teller.h"
#include "launcher/job/job_watch.h"
#include "launcher/job/launch.h"
#include "launcher/job/launcher_signals.h"
#include "launcher/job/output.h"
#include "launcher/job/ras_round.h"
#include "launcher/job/restarts.h"
#include "launcher/job/run_watch.h"
#include "launcher/job/step_watch.h"
#include "launcher/job/verdict_text.h"

namespace slipway::job {

class Launcher {
 public:
  Launcher(const LaunchOptions& options, Allocation allocation);

  // Runs attempts until the job ends, and returns the exit status.
  int run();

  // A line for the user, on stderr.
  static void say(const std::string& text);

 private:
  size_t wanted() const { return allocation_.nodes.size() - static_cast<size_t>(options_.spares); }
  size_t least() const {
    return options_.min_nodes > 0 ? static_cast<size_t>(options_.min_nodes) : wanted();
  }
  void add_bad(const std::string& node);

  // launcher_agents.cc: the agents, and what they and signals report.
  AgentSettings agent_settings() const;
  void begin_agents();
  void choose_first();
  void hold_step(bool stops);
  std::filesystem::path container_folder() const;
  void begin_container();
  // Notices that the container could not be made, or is gone from all nodes.
  void check_container();
  bool is_alone(const Attempt& attempt) const;
  // Handles everything that has arrived. `attempt` may be null.
  void pump(Attempt* attempt, std::chrono::milliseconds timeout = std::chrono::milliseconds(250));
  void say_who_is_gone(const std::vector<AgentEvent>& events);
  void handle(const AgentEvent& event, Attempt* attempt);
  void write(const TaskText& text, Attempt* attempt);
  void act_on_findings(Attempt& attempt);
  void act_on(const WatchFinding& finding, Attempt& attempt);
  // Only when a job hangs: asking at other times has crashed jobs.
  void ask_ras(const Attempt& attempt, const std::vector<std::string>& suspects);
  void pass_on(const std::string& node, const PmixNews& news, Attempt& attempt);
  void handle_signals(Attempt* attempt);
  // Called when Slurm signals an agent or this launcher, whichever comes first. Ends the ledger
  // here: Slurm may leave no time for it after the tasks have ended.
  void cancel(int signal);
  void end_agents();

  // launcher_checkpoints.cc: checkpoints in the nodes' memory.
  void begin_board();
  // What is being written to disk is complete, or takes too long.
  void wait_for_disk();
  // Gives the ranks what they start from, before any task starts.
  void restore_checkpoints(Attempt& attempt);
  void hear_keeper(const std::string& node, const CheckpointNews& news);
  void send_checkpoint_orders();

  // launcher_growth.cc: nodes that join, and restarts with more of them.
  void begin_growth();
  // Nodes may no longer join, and helper jobs end.
  void end_growth();
  void tend_growth();
  void take_in(const std::string& node);
  // How many nodes the job could have more, spares included.
  size_t missing_nodes() const;
  // The newest step that a larger job can begin with.
  std::optional<int64_t> saved_step(const Attempt& attempt) const;
  // Whether the attempt ends here for a larger one.
  bool grows_now(const Attempt& attempt);
  void grow(const Attempt& attempt);
  // After a failure, nodes that wait take free places.
  void fill_places();
  // What tasks get beside other variables, if their node is not one of the job's own.
  Variables variables_of_joined(const std::string& node) const;

  // launcher.cc: attempts, and what follows a failure.
  Attempt run_attempt();
  // Takes the ports that the first node's agent offers.
  void take_ports(Attempt& attempt);
  std::chrono::milliseconds patience(const Attempt& attempt) const;
  bool is_over(const Attempt& attempt) const;
  void check_stall(Attempt& attempt);
  // Waits until all processes are gone and every node has reported what it knows.
  void stop(Attempt& attempt);
  int64_t tasks_per_node() const {
    return options_.tasks_per_node > 0 ? options_.tasks_per_node : allocation_.tasks_per_node;
  }
  bool may_restart(const Attempt& attempt);
  // The exit status if too few nodes are left to start on.
  std::optional<int> too_few();
  // Returns only if Slurm does not requeue the job: otherwise Slurm ends this process.
  void queue_again();
  // Only when nothing will be started anymore, so that a driver that hangs delays nothing.
  void wait_for_energy();
  int give_way();
  int end(const char* result, int status);

  LaunchOptions options_;
  FailureWords words_ = installed_failure_words();
  Allocation allocation_;
  LauncherSignals signals_;  // first: blocks signals before other threads start
  AsyncWriter async_;
  JobLedger ledger_;
  JobStateFile state_file_;
  JobTeller teller_;
  Output output_;
  StepWatch watch_;
  JobWatch from_outside_;
  RasRound ras_;
  std::optional<WatchFinding> hang_;  // while NCCL's RAS is asked
  bool is_stalled_ = false;           // the same
  Agents agents_;
  EnergyTally energy_;
  std::optional<checkpoint::Board> board_;  // of fast checkpoints, if they are wanted
  std::optional<Growth> growth_;            // if the job may grow
  std::optional<Helpers> helpers_;          // the same
  std::set<std::string> others_;            // nodes that have joined, also if they are gone
  bool has_told_wish_ = false;              // that the job waits for a checkpoint to grow
  Variables taken_;
  TaskVariables variables_;
  std::map<std::string, Ports> ports_;      // offered by nodes
  std::filesystem::path container_folder_;  // container_place.h
  std::optional<AgentStep> step_, container_;
  bool container_is_lost_ = false;
  NodeChoice choice_;
  std::vector<std::string> bad_;  // for the rest of the job
  std::vector<Verdict> history_;
  Restarts restarts_;
  std::string reason_ = "nodes did not come up";
  int64_t noticed_ms_ = 0;
  int cancelled_ = 0;      // the exit status after a signal to end; 0: no signal
  bool at_once_ = false;   // a second signal: do not wait for the tasks
  bool queueing_ = false;  // we asked for a requeue, so Slurm ends us
  bool refused_ = false;   // Slurm did not requeue the job
  RunWatch run_;
};

// The ledger of the job: the one that the options name, or one in this folder.
std::filesystem::path ledger_path(const LaunchOptions& options, const std::string& job);

// For limits that options give in seconds.
std::chrono::milliseconds to_milliseconds(double seconds);

}  // namespace slipway::job
