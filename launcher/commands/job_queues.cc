// `slipway job queues`: a blueprint's partitions as queues of Kueue.
#include <cstdio>

#include "common/error.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/job_parts.h"
#include "launcher/commands/page.h"
#include "launcher/conversion/queues.h"

namespace slipway::commands {

int job_queues(Args args) {
  BlueprintInput input;
  conversion::QueueChoices choices;
  std::string output = "-";
  CommandLine line("slipway job queues", "Print a blueprint's partitions as queues of Kueue.");
  line.about(
      "For clusters on which jobs from `slipway job convert` run: a ResourceFlavor for each "
      "nodeset, a ClusterQueue and a LocalQueue for each partition, with the quotas of its "
      "machines, the topology of machines with GPUs, and priority classes.");
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
  const CheckedCluster checked = load_cluster(input);
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const std::string text = conversion::queues(checked.cluster, checked.catalogue, choices,
                                              catalogue_folder(), sources, diagnostics);
  show(diagnostics);
  if (diagnostics.errors() > 0) throw ReportedError("kueue.yaml of the catalogue is wrong");
  write_result(output, text);
  return 0;
}

}  // namespace slipway::commands
