// Adds up the volumes of NetApp storage pools. A pool's capacity is what its volumes can have
// together:
// https://docs.cloud.google.com/netapp/volumes/docs/configure-and-use/storage-pools/overview
#include "launcher/google/pool_room.h"

#include <fmt/core.h>

#include <map>

#include "launcher/cluster/model_part.h"

namespace slipway::google {

using blueprint::Module;

void check_pool_room(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                     source::Diagnostics& diagnostics) {
  const std::string size = "capacity_gib";
  std::map<const Module*, double> used;
  for (const blueprint::Group& group : deployment.groups) {
    for (const Module& volume : group.modules) {
      if (volume.interface == nullptr) continue;
      if (volume.interface->input("netapp_storage_pool_id") == nullptr) continue;
      const Module* pool = deployment.source_of(evaluation.input(volume, "netapp_storage_pool_id"));
      if (pool == nullptr || pool->interface == nullptr) continue;
      if (pool->interface->input(size) == nullptr) continue;
      const auto own = expression::number_of(evaluation.input(volume, size));
      const auto most = expression::number_of(evaluation.input(*pool, size));
      if (!own || !most) continue;
      double& sum = used[pool];
      const auto room = static_cast<double>(*most);
      const bool fitted = sum <= room;
      sum += static_cast<double>(*own);
      if (sum <= room || !fitted) continue;
      diagnostics
          .error(source::Code::rule_broken, cluster::place_of(volume, size),
                 fmt::format("the volumes of module `{}` need {} GiB, and the pool has {}",
                             pool->id, sum, room))
          .other(cluster::place_of(*pool, size), "the pool's capacity")
          .help("make the pool larger, or its volumes smaller");
    }
  }
}

}  // namespace slipway::google
