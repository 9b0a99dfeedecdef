// What the pods of a job need for its network, and their files.
#include "launcher/conversion/pods.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/file.h"
#include "common/text.h"
#include "launcher/cluster/node_profiles.h"
#include "launcher/job/frameworks.h"

namespace slipway::conversion {
namespace {

constexpr const char* host_of_pod = "eth0";

// Replaces whole words: names of interfaces and folders.
std::string replace_words(std::string text, const std::map<std::string, std::string>& words) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (const auto& [from, to] : words) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at)) {
      const size_t end = at + from.size();
      const bool whole =
          (at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]));
      if (whole) text.replace(at, from.size(), to);
      at += whole ? to.size() : from.size();
    }
  }
  return text;
}

// The interfaces as pods see them, and what their names on machines become.
std::vector<NodeProfile::Interface> interfaces_in_pod(const cluster::MachineType& machine,
                                                      const cluster::PodNetwork* pods,
                                                      std::map<std::string, std::string>& words) {
  std::vector<NodeProfile::Interface> interfaces;
  size_t hosts = 0, gpus = 0;
  for (const cluster::MachineType::Nic& nic : machine.nics) {
    const bool is_host = nic.purpose == "host";
    const std::vector<std::string> names = pods == nullptr ? std::vector<std::string>{host_of_pod}
                                           : is_host       ? pods->host
                                                           : pods->gpu;
    size_t& used = is_host ? hosts : gpus;
    if (used >= names.size()) continue;
    words[nic.name] = names[used];
    interfaces.push_back({names[used++], nic.purpose, "", "", nic.mtu_bytes});
  }
  return interfaces;
}

// A variable's value in frameworks.yaml, as the shell computes it in a task.
std::string in_shell(const std::string& value) {
  static const std::vector<job::ValueWord> words = {
      {"{host}", "${SLURM_STEP_NODELIST%%,*}"},
      {"{port}", "$port"},
      {"{second_port}", "$second_port"},
      {"{job}", "$SLURM_JOB_ID"},
      {"{restarts}", "${SLURM_RESTART_COUNT:-0}"},
      {"{tasks}", "$((SLURM_NNODES * tasks))"},
      {"{tasks_per_node}", "$tasks"},
      {"{tasks_each}", "$tasks$times"},
      {"{nodes}", "$SLURM_NNODES"},
      {"{node_list}", "$SLURM_JOB_NODELIST"},
      {"{rank}", "$((SLURM_NODEID * tasks + local_rank))"},
      {"{local_rank}", "$local_rank"},
      {"{node}", "$SLURM_NODEID"}};
  return job::fill_in(value, words);
}

std::string task_variables(const Plan& plan) {
  std::vector<std::string> command;
  for (const job_script::JobStep& step : plan.job->steps) {
    for (const job_script::ScriptWord& word : step.program) command.push_back(word.value.text);
  }
  std::string text =
      "# Variables of a task, by which programs and frameworks find each other: those of `slipway "
      "launch`.\n"
      "# Ports follow from the job and the step, and are above those that Linux gives to clients.\n"
      "port=$((61000 + (SLURM_JOB_ID + SLURM_STEP_ID) % 2000))\n"
      "second_port=$((63000 + (SLURM_JOB_ID + SLURM_STEP_ID) % 2000))\n"
      "times=\nif [ \"$SLURM_NNODES\" -gt 1 ]; then times=\"(x$SLURM_NNODES)\"; fi\n";
  for (const job::Framework& framework :
       job::frameworks_of(job::installed_frameworks(), command, "")) {
    if (framework.variables.empty()) continue;
    text += fmt::format("# {}: {}\n", framework.name, framework.what);
    for (const job::FrameworkVariable& variable : framework.variables) {
      const std::string value = in_shell(variable.value);
      text += variable.yours_wins
                  ? fmt::format("export {0}=\"${{{0}:-{1}}}\"\n", variable.name, value)
                  : fmt::format("export {}=\"{}\"\n", variable.name, value);
    }
  }
  return text;
}

bool uses(const Plan& plan, std::string_view program) {
  for (const job_script::JobStep& step : plan.job->steps) {
    if (program == "slipway" && step.is_launch) return true;
  }
  if (program == "enroot") return !plan.job->walked.imports.empty();
  return program == "srun" || program == "scontrol";
}

}  // namespace

PodTransport transport_of(const Plan& plan) {
  PodTransport made;
  const cluster::MachineType* const machine = plan.place.machine;
  if (machine == nullptr || plan.gpus == 0) return made;
  made.row = &plan.place.catalogue->transport(machine->transport);
  made.name = made.row->name;
  const cluster::PodNetwork& network = network_of(*made.row, plan.place.format);
  if (network.is_known() && plan.several_nodes()) made.pods = &network;
  std::map<std::string, std::string> words;
  const auto interfaces = interfaces_in_pod(*machine, made.pods, words);
  const NodeTransport filled = cluster::fill_in(*made.row, interfaces);
  const std::string& on_machine = filled.libraries.folder;
  if (made.pods != nullptr && !on_machine.empty()) {
    made.folder = made.pods->folder;
    words[on_machine] = made.pods->configuration;
  }
  if (!plan.several_nodes()) {
    made.environment = filled.single_node;
    return made;
  }
  made.environment = filled.environment;
  made.environment.insert(made.environment.end(), filled.without_profile.begin(),
                          filled.without_profile.end());
  if (made.pods != nullptr) {
    made.environment.insert(made.environment.end(), made.pods->environment.begin(),
                            made.pods->environment.end());
    if (plan.place.format == Format::jobset) {
      made.profile = replace_words(filled.vendor_profile.path, words);
    }
  }
  for (NodeTransport::Variable& variable : made.environment) {
    variable.value = replace_words(variable.value, words);
  }
  return made;
}

const cluster::PodNetwork& network_of(const cluster::TransportType& transport, Format format) {
  return format == Format::jobset ? transport.pods : transport.replicas;
}

std::vector<JobVariable> slurm_variables(const Plan& plan) {
  const std::string& named = plan.job->text_of("job-name");
  std::vector<JobVariable> made;
  const auto add = [&](const char* name, std::string value) {
    made.push_back({name, std::move(value), {}});
  };
  add("SLURM_JOB_ID", std::to_string(plan.number));
  made.back().comments = {
      in_words_of(
          plan.place.format,
          "What Slurm tells a job. The rest follows from the index of {pod}, in `start` and "
          "`srun`."),
      "The job's number is made of its name."};
  add("SLURM_JOB_NAME", named.empty() ? plan.name : named);
  if (!plan.queue.empty()) add("SLURM_JOB_PARTITION", plan.queue);
  add("SLURM_NNODES", std::to_string(plan.nodes));
  add("SLURM_NTASKS_PER_NODE", std::to_string(plan.tasks_per_node));
  if (plan.gpus > 0) {
    // Slurm repeats the option, not what it comes to.
    if (plan.job->find("gpus-per-node") != nullptr) {
      add("SLURM_GPUS_PER_NODE", std::to_string(plan.gpus));
    }
    add("SLURM_GPUS_ON_NODE", std::to_string(plan.gpus));
  }
  if (plan.cpus > 0) add("SLURM_CPUS_PER_TASK", std::to_string(plan.cpus / plan.tasks_per_node));
  return made;
}

std::set<std::string> paths_of_launcher(const Plan& plan) {
  std::set<std::string> paths;
  for (const job_script::JobStep& step : plan.job->steps) {
    const std::string& program = step.command.words[0].value.text;
    if (step.is_launch && program.starts_with('/')) paths.insert(program);
  }
  return paths;
}

std::vector<JobVariable> network_variables(const PodTransport& transport) {
  std::vector<JobVariable> made;
  if (transport.environment.empty()) return made;
  std::set<std::string> seen;
  for (const NodeTransport::Variable& one : transport.environment) {
    if (seen.insert(one.name).second) made.push_back({one.name, one.value, {one.why}});
  }
  made[0].comments.insert(made[0].comments.begin(),
                          fmt::format("Transport `{}`: {}. Your own variables win.", transport.name,
                                      transport.row->about));
  if (!transport.profile.empty()) {
    made.push_back({"SLIPWAY_NCCL_PROFILE",
                    transport.profile,
                    {"If the cluster has the transport's own profile, that one wins: it matches "
                     "the installed version."}});
  }
  if (!transport.folder.empty()) {
    made.push_back({"SLIPWAY_NCCL_FOLDER",
                    transport.folder,
                    {"The transport's libraries come first in LD_LIBRARY_PATH."}});
  }
  return made;
}

std::vector<JobFile> job_files(const Plan& plan, const std::string& script,
                               const std::filesystem::path& blueprints) {
  const std::filesystem::path folder = blueprints / "kubernetes/job";
  const char* const nodes =
      plan.place.format == Format::jobset ? "nodes-of-jobset" : "nodes-of-vertex";
  std::vector<JobFile> files = {{"script", script},
                                {"start", read_file(folder / "start")},
                                {"nodes", read_file(folder / nodes)}};
  for (const char* program : {"srun", "scontrol", "enroot", "slipway"}) {
    if (uses(plan, program)) files.push_back({program, read_file(folder / program)});
  }
  files.push_back({"task-variables", task_variables(plan)});
  if (!plan.variables.empty()) {
    std::string text = "# Of --env and --export: they win over those of the network.\n";
    for (const auto& [name, value] : plan.variables) {
      text += fmt::format("export {}={}\n", name, shell_quote(value));
    }
    files.push_back({"variables", text});
  }
  if (plan.gpus > 0) files.push_back({"check-gpus", read_file(folder / "check-gpus")});
  return files;
}

}  // namespace slipway::conversion
