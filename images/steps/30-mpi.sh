#!/usr/bin/env bash
# Open MPI with PMIx, for srun --mpi=pmix
# needs: nothing

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
apt_install openmpi-bin "$(available libpmix2t64 libpmix2)"
