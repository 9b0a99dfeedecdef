// Deploys and destroys clusters on machines that exist already.
#include "launcher/commands/hosts_target.h"

#include <fmt/core.h>

#include <map>

#include "common/count.h"
#include "common/host_list.h"
#include "common/interrupts.h"
#include "common/locale_text.h"
#include "launcher/apply/console.h"
#include "launcher/hosts/host_deploy.h"

namespace slipway::commands {
namespace {

// Machines with the same problem share a line.
void show_problems(apply::Console& console, const std::vector<hosts::HostProblem>& problems) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_problem;
  for (const hosts::HostProblem& problem : problems) {
    by_problem[{problem.problem, problem.help}].push_back(problem.host);
  }
  for (const auto& [problem, names] : by_problem) {
    console.print(for_locale(fmt::format("{}: {}", names_of_nodes(names), problem.first)));
    if (!problem.second.empty()) console.print(for_locale("  help: " + problem.second));
  }
}

class HostsTarget {
 public:
  HostsTarget(LoadedBlueprint& loaded, const HostsOptions& options)
      : checked_(loaded.cluster()),
        deployment_{checked_.cluster, checked_.catalogue, loaded.machines(), catalogue_folder(),
                    loaded.machines().packages} {
    const bool quiet = options.quiet, auto_approve = options.auto_approve;
    steps_.print = [this, quiet](const std::string& text) {
      if (!quiet) console_.print(for_locale(text));
    };
    steps_.show = [this](const std::string& text) { console_.status(text); };
    steps_.require_approval = [this, auto_approve](const std::string& question) {
      if (auto_approve) return;
      const Interrupts interrupts;
      console_.require_approval(question, interrupts);
    };
    steps_.patience = options.timeout;
  }

  void deploy() {
    const auto begin = std::chrono::steady_clock::now();
    finish(hosts::deploy_on_hosts(deployment_, steps_));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    steps_.print(fmt::format("deployment `{}`: {} ready after {:.1f} s", name(),
                             counted(cluster::nodes(checked_.cluster).size(), "machine"),
                             seconds.count()));
  }

  void destroy() {
    steps_.require_approval(fmt::format(
        "Take {} out of the cluster `{}`, and stop Slurm there? Jobs that run lose it.",
        counted(cluster::nodes(checked_.cluster).size(), "machine"), checked_.cluster.name));
    finish(hosts::destroy_on_hosts(deployment_, steps_));
    steps_.print(
        fmt::format("deployment `{}` is destroyed; Slurm's state in /var/spool stays", name()));
  }

 private:
  const std::string& name() const { return checked_.cluster.deployment; }

  void finish(const std::vector<hosts::HostProblem>& problems) {
    if (problems.empty()) return;
    show_problems(console_, problems);
    console_.print(fmt::format("{} not done; the others are. Run it again once that is mended",
                               counted(problems.size(), "machine")));
    throw ReportedError("machines have problems");
  }

  CheckedCluster checked_;
  hosts::HostsDeployment deployment_;
  apply::Console console_;
  hosts::HostsConsole steps_;
};

}  // namespace

void deploy_hosts(LoadedBlueprint& loaded, const HostsOptions& options) {
  HostsTarget(loaded, options).deploy();
}

void destroy_hosts(LoadedBlueprint& loaded, const HostsOptions& options) {
  HostsTarget(loaded, options).destroy();
}

}  // namespace slipway::commands
