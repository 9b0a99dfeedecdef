// Finds out which Slurm the nodes of a local cluster have.
#include "launcher/local/node_slurm.h"

#include "launcher/local/image_store.h"

namespace slipway::local {

node::InstalledSlurm slurm_of_image(const std::string& name) {
  if (name.empty()) return node::installed_slurm();
  return {parse_slurm_version(ImageStore().find(name).slurm),
          node::has_pmix_plugin(image_root(name))};
}

std::string note_on_mpi(const node::InstalledSlurm& slurm) {
  if (slurm.has_pmix) return {};
  return "srun starts MPI programs as single ranks: this Slurm has no plugin for PMIx "
         "(mpi_pmix.so); start them with mpirun";
}

}  // namespace slipway::local
