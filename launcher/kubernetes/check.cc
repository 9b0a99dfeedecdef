// Checks the Kubernetes objects that a blueprint applies.
#include "launcher/kubernetes/check.h"

#include "launcher/kubernetes/manifests.h"
#include "launcher/kubernetes/object_check.h"
#include "launcher/kubernetes/object_references.h"
#include "launcher/kubernetes/object_rules.h"
#include "launcher/kubernetes/programs.h"
#include "launcher/kubernetes/tpu_pods.h"

namespace slipway::kubernetes {

std::vector<std::string> check_manifests(blueprint::Evaluation& evaluation,
                                         const std::filesystem::path& catalogue,
                                         source::Sources& sources,
                                         source::Diagnostics& diagnostics) {
  const Table table = load_table(catalogue, sources, diagnostics);
  const Manifests manifests = read_manifests(evaluation, table, sources, diagnostics);
  if (manifests.objects.empty()) return manifests.not_read;
  const Schemas schemas(catalogue);
  const cluster::TpuTable tpus = cluster::load_tpus(catalogue, sources, diagnostics);
  for (const Object& object : manifests.objects) {
    check_object(object, schemas, diagnostics);
    check_rules(object, diagnostics);
    check_tpu_pods(object, tpus, diagnostics);
  }
  if (manifests.complete) {
    check_references(manifests.objects, table.references, diagnostics);
    check_programs(evaluation, manifests.objects, table.programs, diagnostics);
  }
  return manifests.not_read;
}

}  // namespace slipway::kubernetes
