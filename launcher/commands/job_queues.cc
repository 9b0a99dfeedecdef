// `slipway job queues`: a blueprint's partitions as queues of Kueue.
#include <cstdio>

#include "common/error.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/job_parts.h"
#include "launcher/commands/page.h"
#include "launcher/conversion/queues.h"

namespace slipway::commands {
namespace {

// Of partitions with TPUs, whose cluster has no model, or of a cluster model.
conversion::Queues queues_from(BlueprintInput& input, const conversion::KueueTable& table) {
  input.need_files = false;
  LoadedBlueprint blueprint(input, Purpose::cluster);
  if (const auto slices = blueprint.tpu_queues(table)) return *slices;
  const CheckedCluster checked = blueprint.cluster();
  return conversion::queues_of(checked.cluster, checked.catalogue, table);
}

}  // namespace

int job_queues(Args args) {
  BlueprintInput input;
  conversion::QueueChoices choices;
  std::string output = "-";
  CommandLine line("slipway job queues", "Print a blueprint's partitions as queues of Kueue.");
  line.about(
      "For clusters on which jobs from `slipway job convert` run: a ResourceFlavor for each "
      "nodeset, a ClusterQueue and a LocalQueue for each partition, with the quotas of its "
      "machines, the topology of machines with GPUs, and priority classes. Nodesets of TPUs become "
      "flavors of their slices' topology, with quotas in chips.");
  input.add_options(line);
  line.option("namespace", "NAME", "where the LocalQueues are", &choices.space);
  line.flag("flex-start", "machines come through Dynamic Workload Scheduler when a job waits",
            &choices.flex_start);
  line.option("output,o", "FILE", "where the result goes; - is stdout", &output);
  line.example("slipway job queues examples/quickstart.yaml", "see the queues");
  line.example("slipway job queues a3-megagpu.yaml | kubectl apply --server-side -f -",
               "create them");
  line.see_also("slipway-job-convert(1)");
  if (!line.parse(args)) return 0;
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const conversion::KueueTable table =
      conversion::read_kueue(catalogue_folder(), sources, diagnostics);
  const conversion::Queues queues = queues_from(input, table);
  show(diagnostics);
  if (diagnostics.errors() > 0) throw ReportedError("kueue.yaml of the catalogue is wrong");
  write_result(output, conversion::queues_manifest(queues, choices, table));
  return 0;
}

}  // namespace slipway::commands
