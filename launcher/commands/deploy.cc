// `slipway deploy`: brings up the cluster of a blueprint, here or on Google Cloud.
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/installation.h"
#include "common/status_line.h"
#include "common/text.h"
#include "launcher/apply/deploy.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/resize.h"
#include "launcher/cluster/slurm_releases.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/deployment_input.h"
#include "launcher/commands/hosts_target.h"
#include "launcher/commands/target.h"
#include "launcher/local/image_store.h"
#include "launcher/local/launch.h"
#include "launcher/local/node_slurm.h"
#include "launcher/local/redeploy.h"

namespace slipway::commands {
namespace {

struct LocalOptions {
  int timeout_seconds = 60;
  bool quiet = false;
  bool accounting = false;
  bool force = false;
  int at_once = 0;                 // of compute nodes; 0: a tenth
  std::string image;               // of image_store.h; empty: this machine's own root
  std::vector<std::string> nodes;  // NODESET=N
};

bool changes_image(const local::Plan& current, const std::string& image) {
  return std::ranges::any_of(current.nodes, [&](const auto& node) { return node.image != image; });
}

void deploy_local(LoadedBlueprint& loaded, const LocalOptions& given) {
  CheckedCluster checked = loaded.cluster();
  cluster::resize(checked.cluster, given.nodes);
  if (given.accounting) checked.cluster.controller.accounting = true;
  local::require_programs(checked.cluster.controller, given.image);
  const node::InstalledSlurm slurm = local::slurm_of_image(given.image);
  if (!given.quiet) {
    for (const std::string& line : loaded.left_out_here()) fmt::print(stderr, "{}\n", line);
    for (const std::string& note :
         {local::note_on_containers(checked.cluster.controller.containers, given.image),
          local::note_on_mpi(slurm)}) {
      if (!note.empty()) fmt::print(stderr, "{}\n", note);
    }
  }
  const local::DeploymentFolder folder(local::deployments_folder(), checked.cluster.deployment);
  local::LaunchOptions options;
  options.deadline = std::chrono::seconds(given.timeout_seconds);
  options.force = given.force;
  options.at_once = static_cast<size_t>(given.at_once);
  StatusLine line;
  if (!given.quiet) options.progress = [&](const std::string& text) { line.print(text); };
  if (!given.quiet && line.is_on_terminal()) {
    options.status = [&](const std::string& text) { line.show(text); };
  }
  ::umask(022);  // the cluster's other users read what we write
  const local::DeploymentLock lock(folder, "deploy", [&] {
    fmt::print(stderr, "waiting for an interrupted change of `{}` to end\n", folder.name());
  });
  local::settle(folder, lock, options.progress);
  const std::optional<local::Plan> current = local::current_plan(folder);
  local::Plan plan = local::make_plan(checked.cluster, checked.catalogue,
                                      current.has_value() ? &*current : nullptr, slurm);
  plan.start_from(given.image);
  if (current && changes_image(*current, given.image)) {
    options.releases = cluster::load_slurm_releases(catalogue_folder());
  } else if (given.at_once > 0) {
    fmt::print(stderr, "--at-once has no effect: no node changes its image\n");
  }
  const local::Launched launched = local::launch(plan, folder, options, lock);
  line.clear();
  if (launched.was_there) {
    fmt::print(stderr, "deployment `{0}` is running and unchanged (see `slipway status {0}`)\n",
               folder.name());
  } else if (launched.changed) {
    if (!given.quiet) {
      fmt::print(stderr, "deployment `{}`: changed after {:.1f} s\n", folder.name(),
                 launched.seconds);
    }
  } else if (!given.quiet) {
    fmt::print(stderr, "deployment `{}`: {} {} after {:.1f} s\n", folder.name(),
               counted(launched.nodes, "node"), plan.admits ? "waiting for deep checks" : "idle",
               launched.seconds);
  }
}

void deploy_google(const DeploymentInput& input, apply::DeployOptions options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  GoogleDeployment deployment(input);
  deployment.find_programs();
  deployment.write();
  deployment.with_session([&](apply::Session& session, const apply::Selection& selection) {
    options.selection = selection;
    apply::deploy(session, options);
    session.console.print(fmt::format("deployment `{}` is done after {:.1f} s",
                                      session.folder.recorded.deployment,
                                      std::chrono::duration<double>(Clock::now() - begin).count()));
  });
}

// Throws UsageError when an option belongs to another target.
void check_options(const std::string& target, const DeploymentInput& input,
                   const apply::DeployOptions& options, const LocalOptions& local) {
  const bool is_google = target == "google";
  if (is_google && (local.quiet || local.timeout_seconds != LocalOptions().timeout_seconds)) {
    throw UsageError("--timeout and --quiet are not for --target google");
  }
  if (target != "local" && (local.accounting || local.force || local.at_once > 0 ||
                            !local.nodes.empty() || !local.image.empty())) {
    throw UsageError(
        "--nodes, --image, --at-once, --accounting and --force are for --target local");
  }
  if (target == "local" && options.auto_approve) {
    throw UsageError("--auto-approve is not for --target local");
  }
  if (!is_google &&
      (!input.only.empty() || !input.skip.empty() || options.rebuild || input.parent != ".")) {
    throw UsageError("--only, --skip, --rebuild and --output are for --target google");
  }
}

// A blueprint on this machine or on others that exist, as `machines` and --target say.
void deploy_blueprint(const DeploymentInput& input, const std::string& target,
                      const apply::DeployOptions& options, const LocalOptions& local) {
  LoadedBlueprint loaded(input.blueprint, Purpose::cluster);
  const bool on_hosts = target == "hosts" || (target.empty() && loaded.has_machines());
  check_options(on_hosts ? "hosts" : "local", input, options, local);
  if (on_hosts) {
    deploy_hosts(loaded, {.timeout = std::chrono::seconds(local.timeout_seconds),
                          .auto_approve = options.auto_approve,
                          .quiet = local.quiet});
  } else {
    deploy_local(loaded, local);
  }
}

}  // namespace

int deploy(Args args) {
  DeploymentInput input;
  apply::DeployOptions options;
  std::string target;
  LocalOptions local;
  bool overwrite = false, yes = false;
  CommandLine line("slipway deploy",
                   "Bring up a cluster, or change a running one to match its blueprint.");
  line.about(
      "On this machine (--target local), the command returns when all nodes are idle. If the "
      "deployment is running already, it is changed to match the blueprint.\n\n"
      "On Google Cloud (--target google), Terraform and Packer create the cluster group by group, "
      "from a blueprint or from a folder that `slipway create` wrote. If a deploy fails or is "
      "killed, run it again: it resumes where it stopped. Before it changes a cluster that runs, "
      "it says what becomes of running jobs, and asks.\n\n"
      "On machines that exist already (--target hosts), which `machines` in the blueprint names, "
      "it "
      "installs packages by ssh, writes Slurm's files, starts the daemons, and waits until all "
      "nodes are ready. It asks before it installs, and before a machine joins. Run it again at "
      "any time: only what differs is changed.");
  input.blueprint.add_options(line, "BLUEPRINT|FOLDER");
  line.option("target", "local|google|hosts", "where to deploy", &target,
              "google for a folder; for a blueprint, hosts if it has `machines`, else local");
  line.section("Options for --target local and hosts");
  line.option("timeout", "SECONDS", "give up if no further node is up or idle for this long",
              &local.timeout_seconds);
  line.flag("quiet,q", "print errors only", &local.quiet);
  line.section("Options for --target local");
  line.option("nodes", "NODESET=N", "change the number of static nodes of a nodeset", &local.nodes);
  line.option("image", "IMAGE", "start nodes from an image that `slipway image build` made",
              &local.image, "this machine's own root file system");
  line.option("at-once", "N",
              "replace this many compute nodes at a time when the image of a running cluster "
              "changes, each time waiting for their jobs to end",
              &local.at_once, "a tenth of them");
  line.flag("accounting", "keep the history of jobs, with slurmdbd and MariaDB", &local.accounting);
  line.flag("force", "stop nodes even if jobs are running on them", &local.force);
  line.section("Options for --target google and hosts");
  line.flag("auto-approve", "do not ask before each group, or before machines are changed",
            &options.auto_approve);
  line.flag("yes,y", "the same", &yes);
  line.hide();
  line.section("Options for --target google");
  line.option("output,o", "FOLDER", "write the deployment's folder here", &input.parent);
  line.option("out", "FOLDER", "--output, as gcluster spells it", &input.parent);
  line.hide();
  line.option("only", "GROUP,...", "deploy these groups only", &input.only);
  line.option("skip", "GROUP,...", "deploy all groups but these", &input.skip);
  line.flag("rebuild", "build images again, even unchanged ones", &options.rebuild);
  line.flag("overwrite-deployment,w", "gcluster's option: deploy always does", &overwrite);
  line.hide();
  line.section("");
  line.example("slipway deploy examples/quickstart.yaml",
               "start a Slurm cluster in namespaces on this machine");
  line.example("slipway deploy cluster.yaml --vars deployment_name=two",
               "start a second one next to it, under another name");
  line.example("slipway deploy cluster.yaml --nodes gpu_nodeset=64", "start it at another size");
  line.example("slipway deploy cluster.yaml -d machines.yaml",
               "make the machines that `machines` there names a cluster");
  line.example("slipway deploy cluster.yaml --target google",
               "create it in the cloud, with a question before each step");
  line.environment("XDG_STATE_HOME", "where local deployments are kept (default ~/.local/state)");
  line.see_also("slipway-status(1)");
  line.see_also("slipway-destroy(1)");
  if (!line.parse(args)) return 0;
  options.auto_approve = options.auto_approve || yes;
  if (target.empty() && input.is_folder()) target = "google";
  require_target(target);
  if (local.at_once < 0) throw UsageError("--at-once is at least 1 node");
  if (local.timeout_seconds < 1) throw UsageError("--timeout is at least 1 second");
  if (target == "google") {
    check_options(target, input, options, local);
    deploy_google(input, options);
  } else {
    deploy_blueprint(input, target, options, local);
  }
  return 0;
}

}  // namespace slipway::commands
