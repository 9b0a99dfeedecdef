# MPI over Cloud RDMA with libfabric: Google's values for H4D,
# https://cloud.google.com/compute/docs/instances/create-vm-with-rdma
export FI_PROVIDER='verbs;ofi_rxm'
export FI_OFI_RXM_USE_RNDV_WRITE=1
export FI_VERBS_INLINE_SIZE=39
export FI_UNIVERSE_SIZE=3072
export I_MPI_FABRICS='shm:ofi'
