// `slipway status`: shows local deployments, their nodes and what runs on them.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/interrupts.h"
#include "common/utc.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/watch.h"
#include "launcher/local/deployment_view.h"
#include "launcher/local/status_screen.h"
#include "launcher/local/status_table.h"

namespace slipway::commands {
namespace {

constexpr int attention = 3;

void print_list(const std::vector<local::DeploymentView>& views) {
  if (views.empty()) {
    fmt::print("no deployments\n");
    return;
  }
  fmt::print("{:<24} {:<10} {}\n", "DEPLOYMENT", "STATE", "NODES");
  for (const local::DeploymentView& view : views) {
    fmt::print("{:<24} {:<10} {}\n", view.name, view.state, view.nodes.size());
  }
}

void print_one(const local::DeploymentView& view) {
  const std::string what = local::remark(view);
  fmt::print("deployment {}: {}{}{}\n", view.name, view.state, what.empty() ? "" : ": ", what);
  if (view.folder.is_full()) {
    fmt::print("the file system of {} is full: logs, /home and Slurm's state cannot be written\n",
               view.folder.path().string());
  }
  fmt::print("{}", local::node_table(view));
  if (!view.slurm.asked) return;
  if (!view.slurm.answers) {
    fmt::print("jobs unknown: {}\n", local::slurm_remark(view));
    return;
  }
  fmt::print("{}", local::job_list(view));
}

local::DeploymentView view_of(const std::string& name) {
  local::DeploymentView view =
      local::view(local::DeploymentFolder(local::deployments_folder(), name));
  if (view.runs()) local::ask_slurm(view);
  return view;
}

std::string now_text() {
  return utc_text(std::time(nullptr), ' ');
}

// Without those that are destroyed meanwhile.
std::vector<local::DeploymentView> view_all() {
  std::vector<local::DeploymentView> views;
  for (const local::DeploymentFolder& folder : local::all_deployments()) {
    try {
      views.push_back(local::view(folder));
    } catch (const Error&) {
      if (folder.run_state() != local::RunState::absent) throw;
    }
  }
  return views;
}

int watch_one(const std::string& name, double seconds) {
  const std::chrono::milliseconds interval(static_cast<int64_t>(seconds * 1000));
  view_of(name);  // reports an unknown name before the screen is cleared
  if (::isatty(1) == 1) {
    watch(interval, [&](const local::Screen& screen) {
      return local::draw_status(view_of(name), screen, now_text());
    });
    return 0;
  }
  const Interrupts interrupts;
  do {
    fmt::print("{}\n", now_text());
    print_one(view_of(name));
    fmt::print("\n");
    std::fflush(stdout);
    if (std::ferror(stdout) != 0) return 1;
    pollfd fd = {interrupts.fd(), POLLIN, 0};
    ::poll(&fd, 1, static_cast<int>(interval.count()));
  } while (!interrupts.take());
  return 0;
}

}  // namespace

int status(Args args) {
  std::string name;
  bool json = false, again = false, tell_attention = false;
  double interval = 2;
  CommandLine line("slipway status", "Show your local deployments, or the nodes and jobs of one.");
  line.positional("DEPLOYMENT", &name, Arity::optional);
  line.json("schema slipway/status/1", &json);
  line.flag("watch,w", "keep the terminal up to date until Ctrl-C", &again);
  line.option("interval", "SECONDS", "with --watch: the time between updates", &interval);
  line.flag("detailed-exitcode", "end with 3 if a deployment or a node needs attention",
            &tell_attention);
  line.example("slipway status", "list all your deployments");
  line.example("slipway status quickstart --json", "print one for a program");
  line.example("slipway status quickstart --watch", "watch nodes and jobs until Ctrl-C");
  line.exit_status("1", "the deployment does not exist or does not run");
  line.exit_status("3",
                   "with --detailed-exitcode: Slurm does not answer, a node is off, out of service "
                   "or has a fault, or one of all deployments does not run");
  line.environment("XDG_STATE_HOME", "where local deployments are kept (default ~/.local/state)");
  line.see_also("slipway-deploy(1)");
  line.see_also("slipway-exec(1)");
  if (!line.parse(args)) return 0;
  if (again && (name.empty() || json || tell_attention)) {
    throw UsageError(
        "--watch needs the name of a deployment and excludes --json and --detailed-exitcode");
  }
  if (!(interval >= 0.1 && interval <= 3600)) {
    throw UsageError("--interval takes a number of seconds from 0.1 to 3600");
  }
  if (again) return watch_one(name, interval);

  if (name.empty()) {
    const std::vector<local::DeploymentView> views = view_all();
    if (json) {
      fmt::print("{}\n", local::to_json(views).dump(2));
    } else {
      print_list(views);
    }
    const bool all_run = std::ranges::all_of(views, &local::DeploymentView::runs);
    return tell_attention && !all_run ? attention : 0;
  }
  const local::DeploymentView view = view_of(name);
  if (json) {
    fmt::print("{}\n", local::to_json(view).dump(2));
  } else {
    print_one(view);
  }
  if (!view.runs()) return 1;
  return tell_attention && local::needs_attention(view) ? attention : 0;
}

}  // namespace slipway::commands
