// What a job becomes outside Slurm, whatever the format.
#include "launcher/conversion/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "common/text.h"
#include "launcher/conversion/plan_folders.h"
#include "launcher/conversion/plan_slices.h"
#include "launcher/conversion/plan_steps.h"
#include "launcher/conversion/pods.h"
#include "launcher/job_script/image.h"
#include "launcher/job_script/walk_commands.h"

namespace slipway::conversion {
namespace {

using job_script::JobScript;
using job_script::JobStep;
using job_script::ScriptOption;
using source::Code;
using source::Diagnostics;
using source::Span;

constexpr size_t longest_name = 40;  // pods add indexes, and may have 63 characters
constexpr int64_t requeue_restarts = 3;
constexpr int64_t launch_restarts = 3;  // the default of `slipway launch --max-restarts`
constexpr int64_t most_array = 1000;

// A name as Kubernetes allows it.
std::string object_name(std::string_view wanted) {
  std::string name;
  for (const char c : to_lower(wanted)) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (fine)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "job-" + name;
  name = name.substr(0, longest_name);
  while (name.ends_with('-')) name.pop_back();
  return name;
}

// A number like those of Slurm, the same for every conversion of the same job.
int64_t job_number(std::string_view name) {
  uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  constexpr uint32_t first = 100'000, count = 900'000;
  return first + hash % count;
}

class Planner {
 public:
  Planner(const JobScript& job, Place place, const Rules& rules, Diagnostics& diagnostics)
      : job_(job), rules_(rules), diagnostics_(diagnostics), words_(words_of(place.format)) {
    plan_.job = &job;
    plan_.place = std::move(place);
  }

  Plan run() {
    const std::string named = job_.text_of("job-name");
    plan_.name = object_name(named.empty() ? job_.name.substr(0, job_.name.rfind('.')) : named);
    plan_.number = job_number(plan_.name);
    plan_.variables = plan_.place.variables;
    options("sbatch", job_.options);
    if (job_.next_component) {
      refuse(job_.next_component, "a heterogeneous job is not converted",
             "write a script for each component");
    }
    export_option();
    sizes();
    generic_resources();
    array();
    check_steps(job_, plan_, diagnostics_);
    for (const JobStep& step : job_.steps) {
      options(step.is_launch ? "launch" : "srun", step.options);
    }
    image();
    restarts();
    queue();
    machine();
    plan_folders(plan_, diagnostics_);
    programs();
    return std::move(plan_);
  }

 private:
  void refuse(Span place, const std::string& message, const std::string& hint) {
    diagnostics_.error(Code::no_equivalent, place, message).help(hint);
  }

  void options(const char* program, const std::vector<ScriptOption>& options) {
    for (const ScriptOption& option : options) {
      const bool of_container = option.name.find("container-") != std::string::npos;
      const Rule* rule = rules_.find(of_container ? "srun" : program, option.name);
      if (rule == nullptr) {
        refuse(option.place, fmt::format("`--{}` is not converted", option.name), "leave it out");
        continue;
      }
      const std::string text = fmt::format("`--{}`: {}", option.name, rule->why);
      if (rule->fate == Fate::refused) refuse(option.place, text, rule->hint);
      if (rule->fate == Fate::differs && !is_harmless(option)) {
        diagnostics_.warning(Code::no_equivalent, option.place, text).help(rule->hint);
      }
      if (rule->fate == Fate::no_effect) plan_.note(text);
    }
  }

  // `--mpi=none` is what a pod has.
  static bool is_harmless(const ScriptOption& option) {
    return option.name == "mpi" && (option.value.text == "none" || option.value.text == "list");
  }

  // --export=ALL,NAME=VALUE
  void export_option() {
    for (const std::string& entry : split(job_.text_of("export"), ',')) {
      const size_t equals = entry.find('=');
      if (equals != entry.npos) plan_.variables[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
  }

  void sizes() {
    const job_script::Resources& asked = job_.resources;
    if (asked.nodes) {
      plan_.nodes = asked.nodes.value.most;
      if (asked.nodes.value.least != asked.nodes.value.most) {
        diagnostics_
            .warning(Code::no_equivalent, asked.nodes.place,
                     fmt::format("{} has a fixed number of {}: it gets {}", words_.job, words_.pods,
                                 plan_.nodes))
            .help("write one number");
      }
    }
    if (asked.tasks_per_node)
      plan_.tasks_per_node = asked.tasks_per_node.value;
    else if (asked.tasks) {
      if (!asked.nodes) plan_.nodes = 1;
      plan_.tasks_per_node = asked.tasks.value / plan_.nodes;
      if (asked.tasks.value % plan_.nodes != 0) {
        refuse(asked.tasks.place,
               fmt::format("{} tasks cannot be spread evenly over {} nodes", asked.tasks.value,
                           plan_.nodes),
               "use --ntasks-per-node");
        plan_.tasks_per_node = 1;
      }
    }
    if (asked.gpus_per_node) plan_.gpus = asked.gpus_per_node.value;
    if (asked.cpus_per_task) plan_.cpus = asked.cpus_per_task.value * plan_.tasks_per_node;
    if (asked.memory_mib) plan_.memory_mib = asked.memory_mib.value;
    if (asked.time_seconds) plan_.seconds = asked.time_seconds.value;
    plan_.close_together = job_.find("switches") != nullptr || job_.find("segment") != nullptr;
  }

  // --gres=gpu:8,shard:1
  void generic_resources() {
    const ScriptOption* const option = job_.find("gres");
    if (option == nullptr || !option->value.is_known()) return;
    for (const std::string& entry : split(option->value.text, ',')) {
      std::string name = entry.substr(0, entry.find(':'));
      if (name.starts_with("gres/")) name.erase(0, 5);
      if (name == "gpu" || (name == "tpu" && plan_.place.tpus != nullptr) || name == "none")
        continue;
      refuse(option->place, fmt::format("nothing in {} is the resource `{}`", words_.pod, name),
             name == "tpu" ? "name machines with TPUs: --machine-type" : "leave it out");
    }
  }

  void array() {
    const ScriptOption* const option = job_.find("array");
    if (option == nullptr) return;
    std::string text = option->value.text;
    if (const size_t most = text.find('%'); most != text.npos) {
      refuse(option->place, "a JobSet starts all elements of an array at once",
             "leave out `%`: the queue's quota limits how many run");
      text.resize(most);
    }
    for (const std::string& range : split(text, ',')) {
      const size_t dash = std::min(range.find('-'), range.size());
      const size_t colon = std::min(range.find(':'), range.size());
      const auto first = to_number<int64_t>(range.substr(0, dash));
      const auto last = dash == range.size()
                            ? first
                            : to_number<int64_t>(range.substr(dash + 1, colon - dash - 1));
      const auto step = colon == range.size() ? std::optional<int64_t>(1)
                                              : to_number<int64_t>(range.substr(colon + 1));
      if (!first || !last || !step || *first < 0 || *last < *first || *step < 1 ||
          (*last - *first) / *step >= most_array) {
        diagnostics_.error(Code::bad_job_script, option->place,
                           fmt::format("`{}` is not a range of an array", range));
        return;
      }
      for (int64_t i = *first; i <= *last; i += *step) plan_.array.push_back(i);
    }
  }

  void image() {
    plan_.image = plan_.place.image;
    if (!plan_.image.empty() || job_.steps.empty()) return;
    const job_script::StepImage image = image_of(job_, job_.steps[0]);
    plan_.image = image.address;
    if (!plan_.image.empty()) return;
    if (!image.place) {
      refuse(job_.steps[0].command.called_place(),
             fmt::format("the tasks have no container, and {} needs an image", words_.pod),
             "name one with --image or in the script: --container-image");
    } else if (!image.wrong.empty()) {
      refuse(image.place, image.wrong, "");
    } else if (image.asked.is_known()) {
      refuse(image.place,
             fmt::format("`{}` is a file, and {} pull images from a registry", image.asked.text,
                         words_.pods),
             "name the image in a registry: --image REGISTRY/IMAGE:TAG");
    } else {
      refuse(image.place,
             fmt::format("the image `{}` is known only when the script runs", image.asked.text),
             "name it with --image REGISTRY/IMAGE:TAG");
    }
  }

  void restarts() {
    if (job_.find("requeue") != nullptr) plan_.max_restarts = requeue_restarts;
    for (const JobStep& step : job_.steps) {
      if (!step.is_launch) continue;
      const ScriptOption* const most = step.find("max-restarts");
      plan_.max_restarts =
          most == nullptr ? launch_restarts : to_number<int64_t>(most->value.text).value_or(0);
      const ScriptOption* const spares = step.find("spares");
      if (spares == nullptr) continue;
      plan_.spares = to_number<int64_t>(spares->value.text).value_or(-1);
      if (plan_.spares < 0 || plan_.spares >= plan_.nodes) {
        refuse(spares->place,
               fmt::format("{} spare nodes of {} leave none", spares->value.text, plan_.nodes),
               "ask for more nodes, or for fewer spares");
        plan_.spares = 0;
      }
    }
    plan_.nodes -= plan_.spares;
  }

  void queue() {
    const ScriptOption* const partition = job_.find("partition");
    plan_.queue = plan_.place.queue.empty() ? job_.text_of("partition") : plan_.place.queue;
    if (plan_.queue.find(',') != std::string::npos) {
      const bool in_script = plan_.place.queue.empty() && partition != nullptr;
      refuse(in_script ? partition->place : Span(), "a workload has one queue, not several",
             "name one with --queue");
    }
    plan_.priority = job_.text_of("qos");
  }

  void machine() {
    plan_slices(plan_, diagnostics_);
    const cluster::MachineType* const machine = plan_.place.machine;
    if (machine == nullptr) {
      if (plan_.gpus > 0) {
        refuse(job_.resources.gpus_per_node.place,
               "which machines have these GPUs is not known, and their network depends on it",
               "name a blueprint with --blueprint, or a type with --machine-type");
      }
      return;
    }
    if (plan_.gpus > machine->gpu_count) {
      refuse(job_.resources.gpus_per_node.place,
             fmt::format("a machine of type `{}` has {} GPUs, not {}", machine->name,
                         machine->gpu_count, plan_.gpus),
             "name another machine type");
    }
    if (plan_.gpus == 0 || !plan_.several_nodes()) return;
    const Span place = job_.resources.gpus_per_node.place;
    if (!machine->daemons.empty()) {
      refuse(place,
             fmt::format("machines of type `{}` need {} beside the job, which is not known for {}",
                         machine->name, machine->daemons[0].daemon.name, words_.pods),
             elsewhere());
      return;
    }
    const cluster::TransportType& transport = plan_.place.catalogue->transport(machine->transport);
    const bool uses_host = transport.places.empty();  // plain sockets
    const cluster::PodNetwork& network = network_of(transport, plan_.place.format);
    if (!uses_host && !network.is_known()) {
      refuse(
          place, fmt::format("the network of `{}` is not known for {}", machine->name, words_.pods),
          plan_.place.format == Format::vertex
              ? "Google does not describe it for custom jobs: " + elsewhere() + ", or as a JobSet"
              : elsewhere());
    } else if (!uses_host && machine->nics.size() !=
                                 network.gpu.size() + static_cast<size_t>(std::ranges::count(
                                                          machine->nics, "host",
                                                          &cluster::MachineType::Nic::purpose))) {
      refuse(place,
             fmt::format("the interfaces of `{}` are not known for {}", machine->name, words_.pods),
             elsewhere());
    }
  }

  // Where a job can run whose network is not known here.
  std::string elsewhere() const {
    const std::vector<std::string>& clusters = plan_.place.training_clusters;
    const bool of_vertex = std::ranges::find(clusters, plan_.place.machine->name) != clusters.end();
    return of_vertex ? "run this job on Slurm, such as that of a Vertex AI training cluster"
                     : "run this job on Slurm";
  }

  void programs() {
    for (const Span place : job_.walked.not_understood) {
      refuse(place, "from here on, the script is not understood", "check it with `bash -n`");
    }
    for (const Span place : job_.walked.not_read) {
      diagnostics_.warning(
          Code::no_equivalent, place,
          fmt::format("this file is not here, so what it does in the {} is not known",
                      words_.pods));
    }
    for (const job_script::ScriptCommand& command : job_.walked.programs) {
      const std::string& name = command.words[0].value.text;
      if (const Rule* rule = rules_.find_program(job_script::base_name(name))) {
        refuse(command.called_place(), fmt::format("`{}`: {}", name, rule->why), rule->hint);
      } else if (name == "scontrol" && command.words.size() > 2 &&
                 command.words[1].value.text == "show" &&
                 command.words[2].value.text == "hostnames") {
        continue;
      } else if (name == "scontrol") {
        refuse(command.called_place(),
               fmt::format("`scontrol`: there is no Slurm in {}", words_.pod),
               "only `scontrol show hostnames` works");
      } else {
        diagnostics_
            .warning(Code::no_equivalent, command.called_place(),
                     fmt::format("`{}` runs once on Slurm, and here in each of the {} {}", name,
                                 plan_.nodes, words_.pods))
            .help("do it before you submit, or test `[ \"$SLURM_NODEID\" = 0 ]`");
      }
    }
  }

  const JobScript& job_;
  const Rules& rules_;
  Diagnostics& diagnostics_;
  const Words& words_;
  Plan plan_;
};

}  // namespace

void Plan::note(const std::string& text) {
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
}

bool Plan::runs_bandwidth_test() const {
  return std::ranges::any_of(job->steps, [](const JobStep& step) {
    return !step.program.empty() && step.program[0].value.text.ends_with("_perf");
  });
}

Plan make_plan(const JobScript& job, Place place, const Rules& rules, Diagnostics& diagnostics) {
  return Planner(job, std::move(place), rules, diagnostics).run();
}

}  // namespace slipway::conversion
