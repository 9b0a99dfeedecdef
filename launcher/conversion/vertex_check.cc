// What Vertex AI has of a job, and what it lacks.
#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/conversion/vertex.h"
#include "launcher/source/table.h"

namespace slipway::conversion {
namespace {

using source::Code;
using source::Span;

class VertexCheck {
 public:
  VertexCheck(const Plan& plan, const VertexChoices& choices, const VertexTable& table,
              source::Diagnostics& diagnostics)
      : plan_(plan), choices_(choices), table_(table), diagnostics_(diagnostics) {}

  void run() {
    machine();
    for (const Folder& folder : plan_.folders) place(folder);
    const std::vector<std::string>& known = table_.strategies;
    if (!choices_.strategy.empty() && std::ranges::find(known, choices_.strategy) == known.end()) {
      refuse({}, fmt::format("Vertex has no strategy `{}`", choices_.strategy),
             "it has " + join(known, ", "));
    }
    if (!choices_.shares.empty() && choices_.network.empty()) {
      refuse({}, "Vertex reaches NFS shares through a VPC network",
             "name it with --network projects/NUMBER/global/networks/NAME");
    }
    if (plan_.runs_bandwidth_test() && !plan_.variables.contains("SLIPWAY_RUN_KEY")) {
      refuse(plan_.job->steps[0].command.called_place(),
             "ranks of the bandwidth test recognize each other by a key, and custom jobs have no "
             "secrets",
             "make one: --env SLIPWAY_RUN_KEY=$(openssl rand -hex 32); everyone who may read "
             "the job can read it");
    }
  }

 private:
  void refuse(Span where, const std::string& message, const std::string& hint) {
    diagnostics_.error(Code::no_equivalent, where, message).help(hint);
  }

  void machine() {
    const cluster::MachineType* const machine = plan_.place.machine;
    const Span asked = plan_.job->resources.gpus_per_node.place;
    if (machine == nullptr) {
      if (plan_.gpus > 0 || plan_.place.tpus != nullptr) return;  // make_plan() has reported it
      refuse({plan_.job->text.begin, plan_.job->text.begin + 1},
             "a custom job has to name its machines",
             "name a blueprint with --blueprint, or a type with --machine-type");
      return;
    }
    if (machine->gpu_count > 0 && !table_.accelerators.contains(machine->gpu_model)) {
      refuse(asked,
             fmt::format("Vertex has no machines with GPUs of type `{}`", machine->gpu_model),
             "name another machine type");
    }
    if (plan_.gpus < machine->gpu_count) {
      refuse(asked ? asked : Span{plan_.job->text.begin, plan_.job->text.begin + 1},
             fmt::format("a replica has all {} GPUs of its machine, not {}", machine->gpu_count,
                         plan_.gpus),
             "ask for all of them, or name another machine type");
    }
  }

  void place(const Folder& folder) {
    if (folder.source == "tmpfs" || !link_to(folder, choices_, table_).empty()) return;
    const std::string source = folder.asked;
    const job_script::JobStep* at = nullptr;
    for (const job_script::JobStep& step : plan_.job->steps) {
      if (at == nullptr && step.find("container-mounts") != nullptr) at = &step;
    }
    refuse(at == nullptr ? Span() : at->find("container-mounts")->place,
           fmt::format("Vertex's machines have no folder `{}`", source),
           fmt::format("use a bucket, which is at {}/BUCKET, or name the NFS share: --nfs "
                       "FOLDER=SERVER:/PATH",
                       table_.bucket_folder));
  }

  const Plan& plan_;
  const VertexChoices& choices_;
  const VertexTable& table_;
  source::Diagnostics& diagnostics_;
};

bool is_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

}  // namespace

VertexTable read_vertex(const std::filesystem::path& catalogue, source::Sources& sources,
                        source::Diagnostics& diagnostics) {
  VertexTable table;
  const auto root = source::read_table(catalogue / "vertex.yaml", sources, diagnostics);
  if (!root) return table;
  cluster::RowReader file(*root, "the file", diagnostics);
  if (const source::Node* rows = file.sequence("accelerators")) {
    for (const source::Node& item : rows->items) {
      cluster::RowReader row(item, "an accelerator", diagnostics);
      std::string model = row.text("model");
      table.accelerators[std::move(model)] = row.text("type");
      row.finish();
    }
  }
  table.most_variables = file.count("most_variables");
  table.strategies = file.texts("strategies");
  table.training_clusters = file.texts("training_clusters");
  table.nfs_folder = file.text("nfs_folder");
  table.bucket_folder = file.text("bucket_folder");
  file.finish();
  return table;
}

std::string share_name(const std::string& mount) {
  std::string name;
  for (const char c : mount.substr(std::min<size_t>(1, mount.size()))) name += c == '/' ? '-' : c;
  return name;
}

std::string link_to(const Folder& folder, const VertexChoices& choices, const VertexTable& table) {
  if (is_in(folder.asked, table.bucket_folder)) return folder.asked;
  std::string found;
  for (const auto& [mount, share] : choices.shares) {  // in order, so that the deepest stays
    if (!is_in(folder.asked, mount)) continue;
    found = fmt::format("{}/{}{}", table.nfs_folder, share_name(mount),
                        folder.asked.substr(mount.size()));
  }
  return found;
}

void check_vertex(const Plan& plan, const VertexChoices& choices, const VertexTable& table,
                  source::Diagnostics& diagnostics) {
  VertexCheck(plan, choices, table, diagnostics).run();
}

}  // namespace slipway::conversion
