#!/usr/bin/env bash
# Open MPI with PMIx, for srun --mpi=pmix
# needs: nothing

pmix=libpmix2
if apt-cache show libpmix2t64 >/dev/null 2>&1; then pmix=libpmix2t64; fi
apt-get install -y -qq --no-install-recommends openmpi-bin "$pmix" >/dev/null
