// Prints what the SPANK plugins take from sbatch and plugstack.conf, as JSON: scripts/reference.py
// makes their manual pages and docs/reference/job-options.md from it. A part of the build.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "common/command_description.h"
#include "spank-plugins/auto_resume/advice.h"
#include "spank-plugins/container/options.h"
#include "spank-plugins/container/settings.h"
#include "spank-plugins/nccl_env/inspector.h"
#include "spank-plugins/nccl_env/settings.h"
#include "spank-plugins/node_health/settings.h"

namespace {

using Json = nlohmann::ordered_json;

template <class ArgumentHelp>
Json described(const slipway::CommandDescription& plugin, std::span<const ArgumentHelp> arguments) {
  Json json = Json::parse(to_json(plugin));
  json["usage"] = "";
  json["arguments"] = Json::array();
  for (const ArgumentHelp& one : arguments) {
    json["arguments"].push_back({{"name", one.name}, {"text", one.help}});
  }
  return json;
}

slipway::CommandDescription::Option job_option(const char* name, const char* values,
                                               const char* help, const char* standard = "on") {
  return {.name = name,
          .value = values,
          .help = help,
          .standard = standard,
          .section = "Options of sbatch, srun and salloc"};
}

Json nccl_env() {
  slipway::CommandDescription plugin;
  plugin.program = "nccl_env";
  plugin.summary = "Give every task of a Slurm job the NCCL variables of its node's network.";
  plugin.about =
      "This SPANK plugin reads the node profile and sets what the job has not set itself. The "
      "option of sbatch and salloc holds for the batch script and for every srun in it that does "
      "not have its own. With a wrong argument in plugstack.conf it leaves every job alone. It "
      "must be built for the Slurm release that loads it.\n\n"
      "In plugstack.conf, the same on login and compute nodes:\n\n"
      "  optional /opt/slipway/lib/slipway/spank/nccl_env.so default=on";
  plugin.examples = {{"srun -N2 -n16 --gpus-per-node=8 --nccl-env=show ./train",
                      "print the variables and where each comes from"},
                     {"sbatch --nccl-env=off job.sbatch", "leave the job's environment alone"},
                     {"srun --nccl-watch ./train", "record every collective"}};
  plugin.environment = {{"SLIPWAY_NCCL_ENV", "names the values that the plugin has set"}};
  plugin.files = {{"/etc/slipway/node.json", "the node profile"},
                  {"/etc/slurm/plugstack.conf", "where Slurm finds the plugin"}};
  plugin.see_also = {"node_health(8)", "all_gather_perf(1)"};
  using namespace slipway::nccl_env;
  plugin.options.push_back(job_option(option_name, option_values, option_help));
  plugin.options.push_back(job_option(watch_option_name, "", watch_option_help, ""));
  return described<ArgumentHelp>(plugin, argument_help);
}

Json node_health() {
  slipway::CommandDescription plugin;
  plugin.program = "node_health";
  plugin.summary = "Check a node before a Slurm job begins on it, and after the job has ended.";
  plugin.about =
      "This SPANK plugin runs `slipway health` in Slurm's prolog and epilog. An unfit node is "
      "drained and its job requeued. A failure of the plugin itself fails no job and drains no "
      "node; with a wrong argument in plugstack.conf, nodes are not checked.\n\n"
      "In plugstack.conf:\n\n"
      "  required /opt/slipway/lib/slipway/spank/node_health.so";
  plugin.examples = {{"sbatch --health=skip job.sbatch",
                      "ask for no checks, which the cluster's health policy may refuse"},
                     {"sbatch --health=on job.sbatch", "ask for the checks"}};
  plugin.files = {{"/etc/slurm/plugstack.conf", "where Slurm finds the plugin"},
                  {"/etc/slipway/health.yaml", "this node's own health policy"}};
  plugin.see_also = {"slipway-health(1)", "nccl_env(8)"};
  using namespace slipway::node_health;
  plugin.options.push_back(job_option(option_name, option_values, option_help));
  return described<ArgumentHelp>(plugin, argument_help);
}

Json container() {
  slipway::CommandDescription plugin;
  plugin.program = "container";
  plugin.summary = "Run the tasks of a Slurm job in a container, with pyxis's options.";
  plugin.about =
      "This SPANK plugin mounts an image on each node of a step, once for all tasks there, and "
      "moves the tasks into it. Nothing is unpacked, and nobody becomes root on the node. Without "
      "an image or a name, it does nothing. With a wrong argument in plugstack.conf, jobs that ask "
      "for a container fail. It must be built for the Slurm release that loads it.\n\n"
      "Each option but a negation has a variable, which acts where the option is not given: "
      "PYXIS_CONTAINER_IMAGE is --container-image, PYXIS_CONTAINER_READONLY=yes is "
      "--container-readonly.\n\n"
      "In plugstack.conf, the same on login and compute nodes:\n\n"
      "  optional /opt/slipway/lib/slipway/spank/container.so";
  plugin.examples = {
      {"srun -N4 --container-image=/home/me/nemo.sqsh --container-mounts=/data:/data:ro ./train.sh",
       "run a script in an image that is a file"},
      {"srun --container-image=ubuntu:24.04 --container-name=work --container-writable bash",
       "import an image, and keep what changes in it under a name"}};
  plugin.files = {{"/run/slipway/containers", "each user's containers on a node"},
                  {"/etc/slurm/plugstack.conf", "where Slurm finds the plugin"}};
  plugin.see_also = {"nccl_env(8)"};
  using namespace slipway::container;
  for (const OptionRow& row : option_rows()) {
    const char* const value = row.values == nullptr ? "" : row.values;
    plugin.options.push_back(job_option(row.name, value, row.help, ""));
  }
  return described<ArgumentHelp>(plugin, argument_help);
}

Json auto_resume() {
  slipway::CommandDescription plugin;
  plugin.program = "auto_resume";
  plugin.summary = "Accept srun --auto-resume=1 of scripts for SageMaker HyperPod.";
  plugin.about =
      "On HyperPod, `srun --auto-resume=1` restarts a step on other nodes after a failure. This "
      "SPANK "
      "plugin accepts the option, so that such a script runs, and prints the line that does it "
      "here: "
      "the same command under `slipway launch`.\n\n"
      "In plugstack.conf:\n\n"
      "  optional /opt/slipway/lib/slipway/spank/auto_resume.so";
  plugin.examples = {{"srun --auto-resume=1 ./train.sh", "run ./train.sh, and print what to write"},
                     {"slipway launch --spares 1 -- ./train.sh", "what to write"}};
  plugin.files = {{"/etc/slurm/plugstack.conf", "where Slurm finds the plugin"}};
  plugin.see_also = {"slipway-launch(1)"};
  using namespace slipway::auto_resume;
  plugin.options.push_back(job_option(option_name, option_values, option_help, "0"));
  struct NoArgument {
    const char* name;
    const char* help;
  };
  return described<NoArgument>(plugin, {});
}

}  // namespace

int main() {
  const Json all{{"schema", "slipway/plugins/1"},
                 {"plugins", Json::array({nccl_env(), node_health(), container(), auto_resume()})}};
  std::puts(all.dump(2).c_str());
}
