// nccl-tests' element types and reductions in MPI: MPI's own where it has them, else ours.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

// Exists between MPI_Init and MPI_Finalize.
class MpiTypes {
 public:
  MpiTypes();
  ~MpiTypes();
  MpiTypes(const MpiTypes&) = delete;
  MpiTypes& operator=(const MpiTypes&) = delete;

  // Bytes as a count of some type. MPI 3 counts in int, so from 2 GiB on the unit is 16 bytes, to
  // which blocks are rounded. Throws Error if even that overflows.
  std::pair<int, MPI_Datatype> count_of(int64_t bytes) const;

  // The number of elements of a reduction. Throws Error from 2^31 on.
  int elements(int64_t count) const;
  MPI_Datatype element(Datatype type) const;
  MPI_Op reduction(Datatype type, Reduction reduction) const;

 private:
  MPI_Datatype granule_ = MPI_DATATYPE_NULL;
  // Types that MPI does not know are sent as bytes and reduced by our own operations.
  std::map<Element, MPI_Datatype> own_types_;
  std::map<std::pair<Element, Reduction>, MPI_Op> own_operations_;
};

}  // namespace slipway::bandwidth
