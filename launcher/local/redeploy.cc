// The command's part of changing a running deployment. The supervisor makes the change itself
// (running_change.h).
#include "launcher/local/redeploy.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/error.h"
#include "common/host_list.h"
#include "common/text.h"
#include "launcher/local/changes.h"
#include "launcher/local/checkpoint.h"
#include "launcher/local/control.h"
#include "launcher/local/image_change.h"
#include "launcher/local/image_store.h"
#include "launcher/local/journal.h"
#include "launcher/local/message.h"
#include "launcher/local/node_slurm.h"
#include "launcher/local/plan_json.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// A plan can be too long for a message.
Fd file_with(const std::string& text) {
  Fd file(::memfd_create("plan", MFD_CLOEXEC));
  if (!file) throw_errno("memfd_create");
  for (size_t written = 0; written < text.size();) {
    const ssize_t n = ::write(file.get(), text.data() + written, text.size() - written);
    if (n < 0) throw_errno("cannot pass the plan on");
    written += static_cast<size_t>(n);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// We are interrupted while the change continues.
struct LeftAlone : Error {
  using Error::Error;
};

// Reports the progress of a change until its end. Returns how many nodes were started. Throws Error
// if the change failed, LeftAlone if it continues without us.
size_t follow(const Fd& connection, const std::function<void(const std::string&)>& say,
              const Interrupts& interrupts) {
  std::string phase;
  for (bool asked_to_stop = false;;) {
    bool something = false;
    try {
      something = interrupts.wait(connection.get(), 1min);
    } catch (const Error&) {
      if (phase == "going") {
        throw LeftAlone(
            "interrupted; the change continues without this command, and the next `slipway deploy` "
            "waits until it is done");
      }
      if (phase == "waiting")
        throw LeftAlone("interrupted; the change is made, but new nodes may not be idle yet");
      if (!asked_to_stop) send_message(connection.get(), {{"signal", SIGTERM}});
      asked_to_stop = true;
      continue;
    }
    if (!something) continue;
    const json body = receive_answer(connection.get()).body;
    if (body.contains("say") && say) say(body.at("say"));
    if (body.contains("phase")) phase = body.at("phase");
    if (body.contains("done")) return body.at("nodes");
  }
}

// The supervisor takes the next change when it has seen the end of this one.
void wait_until_taken(const Fd& connection) {
  while (receive_message(connection.get())) {
  }
}

// "c, l and n-0 have trixie-0123456789ab, n-[1-3] have bookworm-0123456789ab"
std::string nodes_by_image(const Plan& plan) {
  std::map<std::string, std::vector<std::string>> nodes;
  for (const PlannedNode& node : plan.nodes) nodes[node.image].push_back(node.name);
  std::vector<std::string> words;
  for (const auto& [image, names] : nodes) {
    words.push_back(fmt::format("{} {} {}", names_of_nodes(names),
                                names.size() == 1 ? "has" : "have", name_of_image(image)));
  }
  return join(words, ", ");
}

class Redeployment {
 public:
  Redeployment(const DeploymentFolder& folder, const LaunchOptions& options,
               const DeploymentLock& lock, const Interrupts& interrupts)
      : folder_(folder), options_(options), lock_(lock), interrupts_(interrupts) {}

  // Returns how many nodes were started, or nothing if nothing differs.
  std::optional<size_t> change(const Plan& current, const Plan& wanted) const {
    const Changes changes = compare(current, wanted);
    if (!changes.any()) return std::nullopt;
    say(fmt::format("changing the running deployment `{}`:", folder_.name()));
    for (const std::string& line : lines(changes)) say("  " + line);
    checkpoint("changes are known");
    return request_change(wanted, {{"force", options_.force}});
  }

  // image_change.h. True if there was something to do.
  bool change_image(const Plan& current, const Plan& wanted) const {
    const std::vector<ImageStep> steps =
        image_steps(current, wanted, options_.at_once, slurm_of_image);
    if (steps.empty()) return false;
    require_slurm_upgrade(current, wanted, options_.releases, slurm_of_image);
    compare(current, wanted);  // throws if something cannot change
    say(fmt::format("changing the image of `{}` to {}, in {}:", folder_.name(),
                    name_of_image(wanted.image()), counted(steps.size(), "step")));
    checkpoint("changes are known");
    const Plan* before = &current;
    try {
      for (const ImageStep& step : steps) {
        interrupts_.check();
        make_step(step, *before);
        before = &step.plan;
      }
    } catch (const Error& error) {
      throw Error(fmt::format("{}; now {}; deploy again to go on", error.what(),
                              nodes_by_image(plan_in_force(folder_))));
    }
    return true;
  }

 private:
  void say(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }

  size_t request_change(const Plan& wanted, json body) const {
    const Fd connection = connect_to_supervisor(folder_);
    const Fd plan = file_with(to_json(wanted).dump());
    const int fds[] = {lock_.file().get(), plan.get()};
    body.update({{"request", "change"},
                 {"timeout_seconds", options_.deadline.count()},
                 {"points", points_left()}});
    send_message(connection.get(), body, fds);
    try {
      const size_t nodes = follow(connection, options_.progress, interrupts_);
      wait_until_taken(connection);
      return nodes;
    } catch (const LeftAlone&) {
      throw;
    } catch (const Error&) {
      wait_until_taken(connection);
      throw;
    }
  }

  void make_step(const ImageStep& step, const Plan& before) const {
    say(fmt::format("  {}: {}", step.what, names_of_nodes(step.nodes)));
    try {
      request_change(step.plan, {{"force", options_.force}, {"patient", true}});
    } catch (const LeftAlone&) {
      throw;
    } catch (const Error& error) {
      if (!is_made(step)) throw;
      go_back(step, before, error.what());
    }
  }

  bool is_made(const ImageStep& step) const {
    const std::string& node = step.nodes.front();
    return plan_in_force(folder_).find(node)->image == step.plan.find(node)->image;
  }

  // Nodes that do not come up with the new image may do so with the old one.
  [[noreturn]] void go_back(const ImageStep& step, const Plan& before,
                            const std::string& why) const {
    say(fmt::format("  {} failed, and goes back", step.what));
    try {
      request_change(before, {{"force", true}});
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}; it did not go back: {}", step.what, why, error.what()));
    }
    throw Error(fmt::format("{}: {}; it went back", step.what, why));
  }

  const DeploymentFolder& folder_;
  const LaunchOptions& options_;
  const DeploymentLock& lock_;
  const Interrupts& interrupts_;
};

}  // namespace

std::optional<Plan> current_plan(const DeploymentFolder& folder) {
  if (folder.run_state() != RunState::running || !is_complete(folder)) return std::nullopt;
  return plan_in_force(folder);
}

void settle(const DeploymentFolder& folder, const DeploymentLock& lock,
            const std::function<void(const std::string&)>& say) {
  const RunState state = folder.run_state();
  if (state == RunState::absent) return;
  if (!is_complete(folder)) {
    if (say) {
      say(fmt::format("removing what an interrupted deploy or destroy of `{}` left",
                      folder.name()));
    }
    remove(folder);
    return;
  }
  if (state == RunState::dead || !std::filesystem::exists(folder.journal())) return;
  if (say) say(fmt::format("finishing an interrupted change of `{}`", folder.name()));
  const Interrupts interrupts;
  const Fd connection = connect_to_supervisor(folder);
  const int fds[] = {lock.file().get()};
  send_message(connection.get(), {{"request", "settle"}}, fds);
  try {
    follow(connection, say, interrupts);
  } catch (const Error& error) {
    // A change that was rolled back is finished, too.
    if (std::filesystem::exists(folder.journal())) throw;
    if (say) say(error.what());
  }
}

Launched redeploy(const Plan& wanted, const DeploymentFolder& folder, const LaunchOptions& options,
                  const DeploymentLock& lock, const Interrupts& interrupts) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    const Redeployment redeployment{folder, options, lock, interrupts};
    const Plan current = plan_in_force(folder);
    const bool has_steps = redeployment.change_image(current, wanted);
    const std::optional<size_t> nodes = redeployment.change(plan_in_force(folder), wanted);
    if (!has_steps && !nodes) return {true, 0, 0};
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return {false, nodes.value_or(0), seconds.count(), true};
  } catch (const Error& error) {
    throw error.within(fmt::format("cannot change `{}`", folder.name()));
  }
}

}  // namespace slipway::local
