// `slipway job run`: a JobSet on a local cluster.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/secret.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/job_parts.h"
#include "launcher/commands/page.h"
#include "launcher/commands/target.h"
#include "launcher/conversion/kueue.h"
#include "launcher/local/deployment_view.h"
#include "launcher/local/plan_json.h"
#include "launcher/pods/run.h"

namespace slipway::commands {
namespace {

// The deployment of this name, or the only one that runs.
local::DeploymentFolder cluster_for_pods(const std::string& name) {
  if (!name.empty()) return local::DeploymentFolder(local::deployments_folder(), name);
  std::vector<local::DeploymentFolder> running;
  for (local::DeploymentFolder& folder : local::all_deployments()) {
    if (folder.run_state() == local::RunState::running) running.push_back(std::move(folder));
  }
  if (running.size() == 1) return running[0];
  throw Error(fmt::format(
      "{} local deployments run; {}", running.size(),
      running.empty() ? "start one with `slipway deploy`" : "name one with --deployment"));
}

// Secrets that the manifest does not contain exist on a cluster. Here they get random values.
void make_secrets(pods::JobSet& set) {
  const auto each = [&](const pods::Variable& variable) {
    if (variable.secret.empty()) return;
    const auto [value, is_new] =
        set.secrets[variable.secret].try_emplace(variable.secret_key, to_hex(random_secret()));
    if (!is_new) return;
    set.notes.push_back(
        fmt::format("the secret `{}`: `{}` has a random value", variable.secret, value->first));
  };
  for (const pods::ReplicatedJob& job : set.jobs) {
    for (const std::vector<pods::Container>* list : {&job.init, &job.containers}) {
      for (const pods::Container& container : *list) {
        std::ranges::for_each(container.environment, each);
      }
    }
  }
}

void tell_notes(const pods::JobSet& set) {
  std::set<std::string> images;
  for (const pods::ReplicatedJob& job : set.jobs) {
    for (const pods::Container& container : job.containers) images.insert(container.image);
  }
  for (const std::string& image : images) {
    fmt::print(stderr, "slipway: the image {} is not used: pods see the root of their node\n",
               image);
  }
  for (const std::string& note : set.notes) {
    fmt::print(stderr, "slipway: not interpreted: {}\n", note);
  }
}

}  // namespace

int job_run(Args args) {
  std::string file, target = "local", deployment;
  CommandLine line("slipway job run", "Run a JobSet without Kubernetes.");
  line.about(
      "Its pods become processes on the nodes of a local cluster, with their names, environment, "
      "files, volumes, init containers and sidecars. Replicated jobs start, restart and complete "
      "as JobSet's policies say. It shows that a manifest from `slipway job convert`, or your own, "
      "works before you pay for a cluster.\n\n"
      "It is not Kubernetes: images are not pulled, so that pods see the root of their node, "
      "only GPUs are counted, and Kueue has no part. Fields that it does not "
      "know are errors.");
  line.positional("MANIFEST", &file);
  line.option("target", "local", "where it runs", &target);
  line.option("deployment,d", "NAME", "the local deployment", &deployment,
              "the only one that runs");
  line.example("slipway job run --target local train.yaml", "on the local cluster that runs");
  line.example("slipway job run --deployment quickstart train.yaml", "on this one of several");
  line.exit_status("1", "the JobSet has failed, or cannot run");
  line.see_also("slipway-job-convert(1)");
  if (!line.parse(args)) return 0;
  require_target(target);
  if (target != "local") {
    throw UsageError(
        "`slipway job run` runs JobSets on local clusters only; elsewhere, use "
        "`kubectl apply`");
  }
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  pods::JobSet set = pods::read_job_set(file, catalogue_folder(), sources, diagnostics);
  const cluster::Catalogue catalogue = cluster::load_catalogue(
      catalogue_folder(), sources, diagnostics, cluster::Transports::left_out);
  const conversion::KueueTable labels =
      conversion::read_kueue(catalogue_folder(), sources, diagnostics);
  show(diagnostics);
  if (diagnostics.errors() > 0) throw ReportedError("the manifest cannot run");
  make_secrets(set);

  const local::DeploymentFolder folder = cluster_for_pods(deployment);
  folder.require_present();
  const local::Plan plan = local::plan_from_json(nlohmann::json::parse(read_file(folder.plan())));
  std::vector<const local::PlannedNode*> nodes;
  for (const local::NodeView& node : local::view(folder).nodes) {
    if (!node.running || node.role != "compute") continue;
    for (const local::PlannedNode& planned : plan.nodes) {
      if (planned.name == node.name) nodes.push_back(&planned);
    }
  }
  const std::vector<pods::Pod> placed =
      pods::place_pods(set, nodes, {&catalogue, labels.accelerator_label, labels.machine_label});
  tell_notes(set);
  for (const pods::Pod& pod : placed) {
    fmt::print(stderr, "slipway: {} runs on {}\n", pod.name, pod.node);
  }
  if (!pods::run_job_set(set, placed, folder)) throw Error("the JobSet has failed");
  return 0;
}

}  // namespace slipway::commands
