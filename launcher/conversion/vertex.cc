// A job as a custom job of Vertex AI.
#include "launcher/conversion/vertex.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "launcher/conversion/yaml_writer.h"
#include "launcher/source/yaml_scalar.h"

namespace slipway::conversion {
namespace {

class VertexWriter {
 public:
  VertexWriter(const Plan& plan, const VertexChoices& choices, const VertexTable& table,
               const PodTransport& transport, const std::vector<JobFile>& files)
      : plan_(plan), choices_(choices), table_(table), transport_(transport), files_(files) {}

  std::string run() {
    head();
    out_.pair(0, "displayName", plan_.name);
    out_.line(0, "jobSpec:");
    out_.line(2, "workerPoolSpecs:");
    out_.comment(2, "--nodes: a replica for each. Pool 0 has exactly one; it is node 0.");
    first_pool();
    if (plan_.several_nodes()) second_pool();
    scheduling();
    if (!choices_.network.empty()) {
      out_.comment(2, "Shares are in this network.");
      out_.pair(2, "network", choices_.network);
    }
    return out_.text();
  }

 private:
  void head() {
    out_.comment(0, fmt::format("{} as a custom job of Vertex AI, made by `slipway job convert`.",
                                plan_.job->name));
    out_.comment(0,
                 "Create it: convert with --json, and send the result to "
                 "https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION/"
                 "customJobs, or give `jobSpec` to `gcloud ai custom-jobs create --config`.");
    out_.comment(0,
                 "Each replica stands for a node and runs the script; srun in a replica starts "
                 "the tasks of that replica.");
    for (const std::string& note : plan_.notes) out_.comment(0, "Without effect: " + note + ".");
  }

  void first_pool() {
    out_.line(2, "- machineSpec: &machine");
    const cluster::MachineType& machine = *plan_.place.machine;
    out_.pair(6, "machineType", machine.name);
    if (machine.gpu_count > 0) {
      out_.pair(6, "acceleratorType", table_.accelerators.at(machine.gpu_model));
      out_.plain(6, "acceleratorCount", std::to_string(machine.gpu_count));
    }
    if (!choices_.reservation.empty()) {
      out_.line(6, "reservationAffinity:");
      out_.pair(8, "reservationAffinityType", "SPECIFIC_RESERVATION");
      out_.pair(8, "key", "compute.googleapis.com/reservation-name");
      out_.line(8, "values:");
      out_.line(8, "- " + source::yaml_scalar(choices_.reservation));
    }
    out_.pair(4, "replicaCount", "1");
    container();
    if (choices_.shares.empty()) return;
    out_.comment(4, "NFS shares of the Slurm cluster. `prepare` links folders of the job to them.");
    out_.line(4, "nfsMounts: &shares");
    for (const auto& [mount, share] : choices_.shares) {
      const size_t colon = share.find(':');
      out_.pair(4, "- server", share.substr(0, colon));
      out_.pair(6, "path", share.substr(colon + 1));
      out_.pair(6, "mountPoint", share_name(mount));
    }
  }

  void container() {
    out_.line(4, "containerSpec: &container");
    if (!plan_.place.image.empty()) out_.comment(6, "--image of the conversion.");
    out_.pair(6, "imageUri", plan_.image);
    std::vector<JobVariable> variables = slurm_variables(plan_);
    for (JobVariable& one : network_variables(transport_)) variables.push_back(std::move(one));
    out_.plain(6, "command", "[bash, -c]");
    out_.line(6, "args:");
    out_.block_item(6, unpacking_program(files(), variables));
    if (variables.size() > static_cast<size_t>(table_.most_variables)) {
      throw Error(fmt::format("the job has {} variables, and Vertex allows {}", variables.size(),
                              table_.most_variables));
    }
    out_.line(6, "env:");
    for (const JobVariable& one : variables) {
      for (const std::string& comment : one.comments) out_.comment(6, comment);
      out_.pair(6, "- name", one.name);
      out_.pair(8, "value", unexpanded(one.value));
    }
  }

  std::vector<JobFile> files() const {
    std::vector<JobFile> files = files_;
    const std::string prepare = prepare_program();
    if (!prepare.empty()) files.push_back({"prepare", prepare});
    if (!plan_.place.arguments.empty()) {
      std::string text = "set --";
      for (const std::string& word : plan_.place.arguments) text += " " + shell_quote(word);
      files.push_back({"arguments", text + "\n"});
    }
    return files;
  }

  // What a container does before the job: the checks of the prolog, and its folders.
  std::string prepare_program() const {
    std::string text;
    if (plan_.gpus > 0) text += "\"$SLIPWAY_JOB_FOLDER/check-gpus\"\n";
    for (const Folder& folder : plan_.folders) {
      if (folder.source == "tmpfs") {
        text += fmt::format("mkdir -p {}\n", shell_quote(folder.target));
        continue;
      }
      const std::string source = link_to(folder, choices_, table_);
      if (source == folder.target) continue;
      if (folder.create) text += fmt::format("mkdir -p {}\n", shell_quote(source));
      text += fmt::format("link {} {}\n", shell_quote(source), shell_quote(folder.target));
    }
    for (const std::string& program : paths_of_launcher(plan_)) {
      text += fmt::format("link \"$SLIPWAY_JOB_FOLDER/slipway\" {}\n", shell_quote(program));
    }
    if (text.empty()) return text;
    return "#!/bin/bash\n"
           "# What the prolog does on a Slurm node, and --container-mounts.\n"
           "set -euo pipefail\n"
           "# link FROM TO: an empty folder of the image makes room.\n"
           "link() {\n"
           "  mkdir -p \"${2%/*}/\"\n"
           "  if [ -d \"$2\" ] && [ ! -L \"$2\" ]; then rmdir \"$2\"; fi\n"
           "  ln -sfn \"$1\" \"$2\"\n"
           "}\n" +
           text;
  }

  void second_pool() {
    out_.comment(2, "The other nodes, from node 1 on.");
    out_.line(2, "- machineSpec: *machine");
    out_.pair(4, "replicaCount", std::to_string(plan_.nodes - 1));
    out_.line(4, "containerSpec: *container");
    if (!choices_.shares.empty()) out_.line(4, "nfsMounts: *shares");
  }

  void scheduling() {
    out_.line(2, "scheduling:");
    if (plan_.seconds > 0) {
      out_.comment(4, "--time");
      out_.pair(4, "timeout", fmt::format("{}s", plan_.seconds));
    } else {
      out_.comment(4, "Without --time, Vertex ends the job after seven days.");
    }
    if (!choices_.strategy.empty()) out_.pair(4, "strategy", choices_.strategy);
    if (plan_.max_restarts > 0) {
      out_.comment(4, "--requeue, or `slipway launch`: if a replica is lost, all start again.");
      out_.plain(4, "restartJobOnWorkerRestart", "true");
    } else {
      out_.comment(4, "Without --requeue and `slipway launch`, a failed job stays failed.");
      out_.plain(4, "restartJobOnWorkerRestart", "false");
      out_.plain(4, "disableRetries", "true");
    }
    if (plan_.spares > 0) {
      out_.comment(4, fmt::format("--spares {}: Vertex replaces lost machines, so the job has only "
                                  "the replicas that compute.",
                                  plan_.spares));
    }
  }

  const Plan& plan_;
  const VertexChoices& choices_;
  const VertexTable& table_;
  const PodTransport& transport_;
  const std::vector<JobFile>& files_;
  YamlWriter out_;
};

}  // namespace

std::string vertex_job(const Plan& plan, const VertexChoices& choices, const VertexTable& table,
                       const PodTransport& transport, const std::vector<JobFile>& files) {
  return VertexWriter(plan, choices, table, transport, files).run();
}

}  // namespace slipway::conversion
