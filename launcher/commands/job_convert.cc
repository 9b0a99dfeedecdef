// `slipway job convert`: an sbatch script as a JobSet, or as a custom job of Vertex AI.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/installation.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/job_input.h"
#include "launcher/commands/job_parts.h"
#include "launcher/commands/page.h"
#include "launcher/conversion/jobset.h"
#include "launcher/conversion/vertex.h"

namespace slipway::commands {
namespace {

using source::Code;

struct ConvertInput {
  JobInput job;
  BlueprintInput blueprint;
  std::string to = "jobset", machine_type, topology, image, queue, output = "-";
  source::Span machine_place, topology_place;  // in the script
  conversion::VertexChoices vertex;
  std::vector<std::string> shares;  // FOLDER=SERVER:/PATH
  bool as_json = false;
};

void add_convert_options(CommandLine& line, ConvertInput& input) {
  line.option("to", "FORMAT", "the format of the result: jobset or vertex", &input.to);
  line.option("blueprint,b", "FILE", "the blueprint whose partition the job is for",
              &input.blueprint.blueprint, "the script says which machines it is for");
  line.option("deployment-file,d", "FILE", "take the blueprint's variables from this file",
              &input.blueprint.deployment_files);
  line.option("vars", "NAME=VALUE", "set a variable of the blueprint", &input.blueprint.vars);
  line.option("machine-type", "TYPE",
              "the machines that run the job, or a type of TPUs, such as v5p-32",
              &input.machine_type, "those of the blueprint's partition");
  line.option("topology", "TOPOLOGY", "of each slice of TPUs, such as 4x4x8", &input.topology,
              "that of one slice with all nodes, or of the TPUs' type");
  line.option("image", "IMAGE", "the image of the pods or replicas, REGISTRY/IMAGE:TAG",
              &input.image, "the script's --container-image");
  line.option("queue", "NAME", "Kueue's LocalQueue", &input.queue, "the script's partition");
  line.option("nfs", "FOLDER=SERVER:/PATH",
              "for Vertex: the NFS share that Slurm's nodes mount at FOLDER; may be given several "
              "times",
              &input.shares);
  line.option("network", "NETWORK",
              "for Vertex: the VPC network of the shares, projects/NUMBER/global/networks/NAME",
              &input.vertex.network);
  line.option("reservation", "RESERVATION",
              "for Vertex: the machines, projects/PROJECT/zones/ZONE/reservations/NAME",
              &input.vertex.reservation);
  line.option("strategy", "STRATEGY", "for Vertex: its scheduling strategy",
              &input.vertex.strategy);
  line.flag("json", "for Vertex: print JSON, which its API takes", &input.as_json);
  line.option("output,o", "FILE", "where the result goes; - is stdout", &input.output);
}

// `#SLIPWAY --image=NAME`: what the command line leaves open.
void take_lines_for_slipway(const job_script::JobScript& job, ConvertInput& input,
                            const source::Sources& sources, source::Diagnostics& diagnostics) {
  for (const job_script::ScriptWord& word :
       job_script::words_for_slipway(sources.text(job.text), job.text)) {
    const std::string& text = word.value.text;
    const size_t equals = text.find('=');
    const std::string name =
        text.starts_with("--") && equals != text.npos ? text.substr(2, equals - 2) : "";
    std::string* const to = name == "image"          ? &input.image
                            : name == "machine-type" ? &input.machine_type
                            : name == "queue"        ? &input.queue
                            : name == "topology"     ? &input.topology
                                                     : nullptr;
    if (to == nullptr) {
      diagnostics
          .error(Code::bad_job_script, word.place,
                 fmt::format("a line for Slipway cannot have `{}`", text))
          .help(
              "it takes --image=IMAGE, --machine-type=TYPE, --topology=TOPOLOGY and --queue=NAME");
    } else if (to->empty()) {
      *to = text.substr(equals + 1);
      if (to == &input.topology) input.topology_place = word.place;
      if (to == &input.machine_type) input.machine_place = word.place;
    }
  }
}

// The partition that the job asks for, or the cluster's default one. Reports an unknown one.
const cluster::Partition* partition_of(const job_script::JobScript& job,
                                       const cluster::Cluster& cluster,
                                       source::Diagnostics& diagnostics) {
  const job_script::ScriptOption* const option = job.find("partition");
  std::vector<std::string> names;
  for (const cluster::Partition& partition : cluster.partitions) {
    if (option == nullptr ? partition.is_default : partition.name == option->value.text) {
      return &partition;
    }
    names.push_back(partition.name);
  }
  if (option == nullptr) return cluster.partitions.empty() ? nullptr : &cluster.partitions[0];
  diagnostics
      .error(Code::no_equivalent, option->place,
             fmt::format("the blueprint has no partition `{}`", option->value.text))
      .help(source::did_you_mean(option->value.text, names));
  return nullptr;
}

void take_partition(const job_script::JobScript& job, const cluster::Cluster& cluster,
                    ConvertInput& input, conversion::Place& place,
                    source::Diagnostics& diagnostics) {
  const cluster::Partition* const partition = partition_of(job, cluster, diagnostics);
  if (partition == nullptr || partition->nodesets.empty()) return;
  const auto nodeset =
      std::ranges::find(cluster.nodesets, partition->nodesets[0], &cluster::Nodeset::name);
  if (nodeset == cluster.nodesets.end()) return;
  if (input.machine_type.empty()) input.machine_type = nodeset->machine.machine_type;
  if (input.queue.empty()) input.queue = partition->name;
  for (const cluster::MountedFileSystem& mounted : nodeset->machine.file_systems) {
    place.claims[mounted.mount] = mounted.id;
  }
}

// The machines of the job: TPUs or others.
void take_machine(const ConvertInput& input, const cluster::Catalogue& catalogue,
                  cluster::TpuTable& tpus, conversion::Place& place, source::Sources& sources,
                  source::Diagnostics& diagnostics) {
  place.topology = input.topology;
  place.topology_place = input.topology_place;
  if (input.machine_type.empty()) return;
  const cluster::MachineType* const known = catalogue.find_machine(input.machine_type);
  if (known == nullptr || known->gpu_count == 0) {
    tpus = cluster::load_tpus(catalogue_folder(), sources, diagnostics);
    const bool is_tpu = tpus.of_machine(input.machine_type).first != nullptr ||
                        tpus.of_type(input.machine_type).generation != nullptr;
    if (is_tpu) {
      place.tpus = &tpus;
      place.machine_type = input.machine_type;
      place.machine_place = input.machine_place;
      return;
    }
  }
  place.machine = &catalogue.machine(input.machine_type);
}

// The partition's nodeset of TPUs, if it has one: such a cluster has no model.
bool take_slices(const job_script::JobScript& job, LoadedBlueprint& blueprint,
                 ConvertInput& input) {
  const std::vector<cluster::TpuNodeset> nodesets = blueprint.tpu_nodesets();
  const job_script::ScriptOption* const option = job.find("partition");
  for (const cluster::TpuNodeset& nodeset : nodesets) {
    if (option == nullptr ? !nodeset.is_default : nodeset.partition != option->value.text) continue;
    if (input.machine_type.empty()) {
      input.machine_type = nodeset.type;
      if (input.topology.empty()) input.topology = nodeset.topology;
    }
    if (input.queue.empty()) input.queue = nodeset.partition;
    return true;
  }
  return false;
}

// Options that only one format has; the other refuses them.
void take_vertex_options(conversion::Format format, ConvertInput& input) {
  conversion::VertexChoices& vertex = input.vertex;
  if (format != conversion::Format::vertex) {
    for (const auto& [name, given] :
         {std::pair{"nfs", !input.shares.empty()}, std::pair{"network", !vertex.network.empty()},
          std::pair{"reservation", !vertex.reservation.empty()},
          std::pair{"strategy", !vertex.strategy.empty()}, std::pair{"json", input.as_json}}) {
      if (given) throw UsageError(fmt::format("--{} is for --to vertex", name));
    }
    return;
  }
  if (!input.queue.empty()) throw UsageError("--queue is for --to jobset: Vertex has no queues");
  for (const std::string& share : input.shares) {
    const size_t equals = share.find('=');
    const size_t colon = equals == share.npos ? share.npos : share.find(":/", equals);
    if (!share.starts_with('/') || colon == share.npos || colon == equals + 1) {
      throw UsageError(fmt::format("--nfs takes FOLDER=SERVER:/PATH, not `{}`", share));
    }
    vertex.shares[share.substr(0, equals)] = share.substr(equals + 1);
  }
}

}  // namespace

int job_convert(Args args) {
  ConvertInput input;
  CommandLine line("slipway job convert",
                   "Turn an sbatch script into a JobSet for Kubernetes, or a job for Vertex AI.");
  line.about(
      "The result has the script itself, the network of the machine's transport, Slurm's "
      "variables, and a comment at each decision. Every pod, or replica on Vertex AI, stands for a "
      "node and runs the script; srun in a pod starts the tasks of that pod, which find each other "
      "by the names of the pods.\n\n"
      "What has no equivalent outside Slurm is refused, all of it at once, with its place in the "
      "script. What works differently is a warning.\n\n"
      "A script can say what Slurm does not need to know, in lines that sbatch ignores: #SLIPWAY "
      "--machine-type=TYPE --topology=TOPOLOGY --image=IMAGE --queue=NAME. The command line wins.");
  input.job.add_options(line);
  add_convert_options(line, input);
  line.example("slipway job convert --to jobset --blueprint a3-megagpu.yaml train.sbatch",
               "for the machines of the script's partition");
  line.example("slipway job convert --machine-type TYPE --env RESULTS=/data train.sbatch",
               "without a blueprint, with a variable that you would set for sbatch");
  line.example("slipway job convert --machine-type v5p-32 train.sbatch",
               "for slices of TPUs of this type, as many as the nodes make");
  line.example("slipway job convert --to vertex --machine-type TYPE --json train.sbatch",
               "as a custom job for Vertex AI's API");
  line.exit_status("1", "a part of the job has no equivalent");
  line.see_also("slipway-job-show(1)");
  if (!line.parse(args)) return 0;
  const conversion::Format format = conversion::format_of(input.to);
  take_vertex_options(format, input);

  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const job_script::JobScript job = load_job(input.job, sources, diagnostics);
  const cluster::Catalogue catalogue =
      cluster::load_catalogue(catalogue_folder(), sources, diagnostics);
  const conversion::Rules rules(catalogue_folder(), format, sources, diagnostics);
  conversion::Place place;
  place.format = format;
  place.catalogue = &catalogue;
  if (!input.blueprint.blueprint.empty()) {
    input.blueprint.need_files = false;
    LoadedBlueprint blueprint(input.blueprint, Purpose::cluster);
    if (!take_slices(job, blueprint, input)) {
      take_partition(job, blueprint.cluster().cluster, input, place, diagnostics);
    }
  }
  take_lines_for_slipway(job, input, sources, diagnostics);
  cluster::TpuTable tpus;
  take_machine(input, catalogue, tpus, place, sources, diagnostics);
  place.image = input.image;
  place.queue = input.queue;
  place.arguments = input.job.arguments;
  place.variables = variables_of(input.job);
  conversion::VertexTable vertex;
  conversion::KueueTable kueue;
  if (format == conversion::Format::jobset) {
    kueue = conversion::read_kueue(catalogue_folder(), sources, diagnostics);
  } else {
    vertex = conversion::read_vertex(catalogue_folder(), sources, diagnostics);
    place.training_clusters = vertex.training_clusters;
  }
  const conversion::Plan plan = make_plan(job, std::move(place), rules, diagnostics);
  if (format == conversion::Format::vertex) {
    check_vertex(plan, input.vertex, vertex, diagnostics);
  }
  show(diagnostics);
  if (diagnostics.errors() > 0) throw ReportedError("the job has no equivalent");
  const auto files =
      job_files(plan, std::string(sources.text(job.text)), find_installation().blueprints());
  const conversion::PodTransport transport = transport_of(plan);
  std::string result = format == conversion::Format::jobset
                           ? jobset(plan, transport, files, kueue)
                           : vertex_job(plan, input.vertex, vertex, transport, files);
  if (input.as_json) result = conversion::vertex_json(result);
  write_result(input.output, result);
  return 0;
}

}  // namespace slipway::commands
