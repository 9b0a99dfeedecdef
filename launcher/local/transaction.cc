// Carries out a change of a deployment, step by step.
#include "launcher/local/transaction.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/interrupts.h"
#include "common/text.h"
#include "launcher/local/changes.h"
#include "launcher/local/checkpoint.h"
#include "launcher/local/control.h"
#include "launcher/local/fault.h"
#include "launcher/local/journal.h"
#include "launcher/local/kept_state.h"
#include "launcher/local/launch.h"
#include "launcher/local/message.h"
#include "launcher/local/slurm_control.h"
#include "launcher/local/wait_for_nodes.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Names = std::vector<std::string>;
using Phase = Journal::Phase;

// For rolling back: the user has already waited for the change.
constexpr std::chrono::seconds time_to_go_back = 60s;
// For slurmctld to write its state.
constexpr std::chrono::seconds time_to_end = 10s;
constexpr std::chrono::milliseconds pause_between_looks = 500ms;

Names compute_nodes(const Plan& plan, const Names& names) {
  Names found;
  for (const PlannedNode& node : plan.nodes) {
    const bool named = std::ranges::find(names, node.name) != names.end();
    if (named && node.role == "compute") found.push_back(node.name);
  }
  return found;
}

void tell(const Fd& client, const json& body) {
  try {
    if (client) send_message(client.get(), body);
  } catch (const Error&) {
    // The client is gone.
  }
}

class Transaction {
 public:
  Transaction(const DeploymentFolder& folder, const Fd& client, bool again, Journal journal)
      : folder_(folder),
        client_(client),
        again_(again),
        journal_(std::move(journal)),
        in_force_(plan_in_force(folder)),
        controller_(in_force_.controller().name),
        deadline_(std::chrono::seconds(journal_.timeout_seconds)) {}

  void run() {
    if (journal_.phase == Phase::asked) {
      prepare();
      enter(Phase::going);
    }
    tell(client_, {{"phase", "going"}});
    checkpoint("the change begins");
    if (journal_.phase == Phase::going) {
      try {
        become(journal_.wanted, in_force_, again_);
      } catch (const Error& error) {
        journal_.why = error.what();
        enter(Phase::back);
        again_ = true;
      }
    }
    if (journal_.phase == Phase::back) go_back();
    put_in_force(journal_.wanted, folder_);
    checkpoint("the new plan is in force");
    drop_kept_state(folder_);
    remove_journal(folder_);
    checkpoint("the journal is gone");
    tell(client_, {{"phase", "waiting"}});
    const Names computing = compute_nodes(journal_.wanted, started_);
    try {
      const std::set<std::string> awaited(computing.begin(), computing.end());
      wait_for_nodes(folder_, controller_, awaited, usable_states, deadline_, interrupts_);
      wait_for_registration(folder_, controller_, awaited, deadline_, interrupts_);
    } catch (const Error& error) {
      throw error.within("the change is made, but its new nodes are not idle yet");
    }
    tell(client_, {{"done", true}, {"nodes", computing.size()}});
  }

 private:
  json ask(const json& body) const {
    return request(folder_, body, std::chrono::ceil<std::chrono::seconds>(deadline_.left()));
  }

  void enter(Phase phase) {
    journal_.phase = phase;
    journal_.adopted = false;
    journal_.write(folder_);
  }

  // Makes sure that no job runs or begins on nodes that will be stopped. If this fails, nothing has
  // changed.
  void prepare() {
    const SlurmControl slurm(folder_, controller_, deadline_, &interrupts_);
    try {
      if (again_) throw Error("the change was interrupted before it began; nothing was changed");
      checkpoint("nothing has changed");
      vacate(slurm);
      interrupts_.check();
    } catch (const Error& error) {
      undo(error.what());
      throw;
    }
  }

  void undo(const std::string& why) const {
    try {
      const Deadline limit(time_to_go_back);
      SlurmControl(folder_, controller_, limit, nullptr).resume(journal_.held);
    } catch (const Error& error) {
      // The journal stays, and in it the nodes' names for the next command.
      throw Error(fmt::format("{}; nodes that were about to be stopped are still drained: {}", why,
                              error.what()));
    }
    remove_journal(folder_);
  }

  void vacate(const SlurmControl& slurm) {
    const Names stopped = compute_nodes(in_force_, compare(in_force_, journal_.wanted).stopped());
    if (stopped.empty()) return;
    const std::map<std::string, SlurmControl::State> states = slurm.nodes();
    Names known;
    for (const std::string& name : stopped) {
      const auto state = states.find(name);
      if (state == states.end()) continue;
      known.push_back(name);
      if (!state->second.is_out_of_service()) journal_.held.push_back(name);
    }
    if (known.empty()) return;
    const bool refuses = !journal_.force && !journal_.patient;
    if (refuses) slurm.refuse_jobs(known);
    journal_.write(folder_);
    checkpoint("the nodes to drain are recorded");
    slurm.hold(journal_.held, journal_.force ? "down" : "drain");
    checkpoint("nodes are drained");
    if (refuses) slurm.refuse_jobs(known);
    if (journal_.patient && !journal_.force) wait_for_jobs(slurm, known);
  }

  // As long as that takes. Tells the client which jobs they are, whenever these are others.
  void wait_for_jobs(const SlurmControl& slurm, const Names& nodes) {
    std::string told;
    for (;; std::this_thread::sleep_for(pause_between_looks)) {
      interrupts_.check();
      deadline_.renew();
      const std::string jobs = slurm.jobs(nodes);
      if (jobs.empty()) return;
      if (jobs != told) tell(client_, {{"say", "  waiting for " + jobs}});
      told = jobs;
    }
  }

  // Makes the deployment match `target`. Every step can be repeated, as it finds what was done
  // before. `again`: some steps may have been done.
  void become(const Plan& target, const Plan& from, bool again) {
    const Changes changes = compare(from, target);
    remove_slurm_files(from, target, folder_);
    write_folder(target, folder_);
    checkpoint("its files are written");
    if (!journal_.adopted) {
      adopt(changes.stopped());
      checkpoint("nodes are stopped");
      if (target.image() != from.image()) take_care_of_state();
      journal_.adopted = true;
      journal_.write(folder_);
    }
    controller_ = target.controller().name;
    checkpoint("the supervisor has the new plan");
    tell_slurm(target, changes, again);
    checkpoint("Slurm has the new plan");
    const Names off = nodes_that_are_off(target);
    power_on(off);
    started_.insert(started_.end(), off.begin(), off.end());
    checkpoint("nodes are started");
    SlurmControl(folder_, controller_, deadline_, nullptr).resume(journal_.held);
    checkpoint("nodes are resumed");
  }

  // While the controller is off. Another Slurm may write its state in another form.
  void take_care_of_state() const {
    if (journal_.phase == Phase::back) {
      restore_kept_state(folder_);
    } else {
      keep_state(folder_);
    }
    checkpoint("the controller's state is kept");
  }

  // Restores the former plan, regardless of jobs that have begun on new nodes.
  [[noreturn]] void go_back() {
    deadline_ = Deadline(time_to_go_back);
    try {
      drop_jobs_of(compute_nodes(journal_.wanted, compare(in_force_, journal_.wanted).added));
      become(in_force_, journal_.wanted, true);
    } catch (const Error& error) {
      throw Error(
          fmt::format("{}; the change could not be rolled back: {}", journal_.why, error.what()));
    }
    put_in_force(in_force_, folder_);
    remove_journal(folder_);
    throw Error(fmt::format("{}; the change was rolled back", journal_.why));
  }

  void drop_jobs_of(const Names& nodes) const {
    try {
      const Deadline limit(5s);
      const SlurmControl slurm(folder_, controller_, limit, nullptr);
      const auto states = slurm.nodes();
      Names known;
      std::ranges::copy_if(nodes, std::back_inserter(known),
                           [&](const std::string& name) { return states.contains(name); });
      slurm.hold(known, "down");
    } catch (const Error&) {
      // slurmctld is not running with the new plan, so nobody has given these nodes jobs.
    }
  }

  // Waits for nodes that Slurm is starting, then switches the supervisor to the new plan.
  void adopt(const Names& stopped) const {
    Names off;
    const json status = ask({{"request", "status"}});
    for (const json& node : status.at("nodes")) {
      const std::string name = node.at("name");
      if (std::ranges::find(stopped, name) != stopped.end()) off.push_back(name);
    }
    if (std::ranges::find(off, controller_) != off.end()) {
      try {
        const Deadline limit(time_to_end);
        SlurmControl(folder_, controller_, limit, nullptr).end();
        checkpoint("slurmctld has ended");
      } catch (const Error&) {
        // slurmctld is not running, or hangs: stop the node anyway.
      }
    }
    while (ask({{"request", "adopt"}, {"off", off}}).value("busy", false)) {
      if (deadline_.left() <= 0ms)
        throw Error(deadline_.timeout_message("nodes that are starting"));
      std::this_thread::sleep_for(100ms);
    }
  }

  // Tells Slurm while all nodes in its configuration can answer.
  void tell_slurm(const Plan& target, const Changes& changes, bool again) {
    const Names off = nodes_that_are_off(target);
    const bool is_off = std::ranges::find(off, controller_) != off.end();
    const SlurmControl slurm(folder_, controller_, deadline_, nullptr);
    if (is_off) {
      power_on({controller_});
      started_.push_back(controller_);
    } else if (changes.slurm == Changes::Slurm::restart || again) {
      slurm.restart();
    }
    if (is_off || changes.slurm != Changes::Slurm::nothing || again) slurm.reread();
  }

  // Omits on-demand nodes, which Slurm starts, and nodes that someone has powered off.
  Names nodes_that_are_off(const Plan& plan) const {
    Names off;
    const json status = ask({{"request", "status"}});
    for (const json& node : status.at("nodes")) {
      const std::string name = node.at("name");
      const PlannedNode* planned = plan.find(name);
      const Names faults = node.at("faults");
      if (node.at("running").get<bool>() || planned == nullptr || planned->on_demand ||
          std::ranges::find(faults, power_fault()) != faults.end()) {
        continue;
      }
      off.push_back(name);
    }
    return off;
  }

  void power_on(const Names& nodes) const {
    if (nodes.empty()) return;
    const json answer = ask({{"request", "power"}, {"on", true}, {"nodes", nodes}});
    for (const json& failed : answer.at("failed")) {
      throw Error(fmt::format("node {}: {}", failed.at("nodes").at(0).get<std::string>(),
                              failed.at("reason").get<std::string>()));
    }
  }

  const DeploymentFolder& folder_;
  const Fd& client_;
  const Interrupts interrupts_;
  bool again_;
  Journal journal_;
  const Plan in_force_;
  std::string controller_;  // the node's name
  Deadline deadline_;
  Names started_;
};

}  // namespace

void run_transaction(const DeploymentFolder& folder, const Fd& client, bool again) {
  try {
    std::optional<Journal> journal = Journal::read(folder);
    if (!journal) throw Error("there is no change to make");
    Transaction(folder, client, again, std::move(*journal)).run();
  } catch (const std::exception& error) {
    tell(client, {{"error", error.what()}});
  }
}

}  // namespace slipway::local
