// Decides what the tasks of a step get.
#include "spank-plugins/nccl_env/decide.h"

#include <fmt/core.h>

#include <iterator>

#include "spank-plugins/nccl_env/advice.h"
#include "spank-plugins/nccl_env/inspector.h"
#include "spank-plugins/nccl_env/node_facts.h"

namespace slipway::nccl_env {

Environment after(const Resolution& resolution, Environment environment) {
  for (const Decision& decision : resolution.decisions) {
    if (decision.action == Action::set) environment[decision.name] = *decision.value;
    if (decision.action == Action::unset) environment.erase(decision.name);
  }
  return environment;
}

Decided decide(const NodeProfile& profile, const Arguments& arguments, const Asked& asked,
               const Environment& environment, const PreflightJob& job) {
  Advised advised = collect_advice(profile, {arguments.variables, job.several_nodes, asked.watch});
  if (!arguments.environment_plugin.empty()) {
    advised.advice.push_back({"NCCL_ENV_PLUGIN", arguments.environment_plugin, "plugstack.conf",
                              "keeps container images from replacing values"});
  }
  Decided decided{resolve(advised.advice, profile.transport.name, environment), {}};
  for (std::string& warning : advised.warnings) {
    decided.findings.push_back({profile.node + ": " + warning, false, true});
  }
  const Environment decided_on = after(decided.resolution, environment);
  const std::string kept = asked.watch ? kept_from_recording(decided_on) : "";
  if (!kept.empty())
    decided.findings.push_back(
        {fmt::format("{}: --nccl-watch records nothing: {}", profile.node, kept), false, true});
  const Environment& seen = asked.mode == Mode::warn ? environment : decided_on;
  const auto found = judge(profile, look_up(profile, environment), seen, advised.advice, job);
  decided.findings.insert(decided.findings.end(), found.begin(), found.end());
  return decided;
}

}  // namespace slipway::nccl_env
