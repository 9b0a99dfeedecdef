// The command's part of changing a running deployment. The supervisor makes the change itself
// (running_change.h).
#include "launcher/local/redeploy.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/local/changes.h"
#include "launcher/local/checkpoint.h"
#include "launcher/local/control.h"
#include "launcher/local/journal.h"
#include "launcher/local/message.h"
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

// Reports the progress of a change until its end. Returns how many nodes were started. Throws Error
// if the change failed, or if we are interrupted while it continues.
size_t follow(const Fd& connection, const std::function<void(const std::string&)>& say,
              const Interrupts& interrupts) {
  std::string phase;
  for (bool asked_to_stop = false;;) {
    bool something = false;
    try {
      something = interrupts.wait(connection.get(), 1min);
    } catch (const Error&) {
      if (phase == "going") {
        throw Error(
            "interrupted; the change continues without this command, and the next `slipway deploy` "
            "waits until it is done");
      }
      if (phase == "waiting")
        throw Error("interrupted; the change is made, but new nodes may not be idle yet");
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
  const Plan current = plan_in_force(folder);
  try {
    const Changes changes = compare(current, wanted);
    if (!changes.any()) return {true, 0, 0};
    if (options.progress) {
      options.progress(fmt::format("changing the running deployment `{}`:", folder.name()));
      for (const std::string& line : lines(changes)) options.progress("  " + line);
    }
    checkpoint("changes are known");
    const Fd connection = connect_to_supervisor(folder);
    const Fd plan = file_with(to_json(wanted).dump());
    const int fds[] = {lock.file().get(), plan.get()};
    send_message(connection.get(),
                 {{"request", "change"},
                  {"force", options.force},
                  {"timeout_seconds", options.deadline.count()},
                  {"points", points_left()}},
                 fds);
    const size_t nodes = follow(connection, options.progress, interrupts);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return {false, nodes, seconds.count(), true};
  } catch (const Error& error) {
    throw error.within(fmt::format("cannot change `{}`", folder.name()));
  }
}

}  // namespace slipway::local
