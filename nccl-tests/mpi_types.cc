// nccl-tests' element types and reductions in MPI.
#include "nccl-tests/mpi_types.h"

#include <climits>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

constexpr int granule_bytes = 16;

constexpr Datatype own_types[] = {
    {"half", 2, Element::float16},
    {"bfloat16", 2, Element::bfloat16},
    {"f8e4m3", 1, Element::float8e4m3},
    {"f8e5m2", 1, Element::float8e5m2},
};

// MPI passes only the type to an operation, so each combination needs its own function.
template <Element element, int64_t bytes, Reduction reduction>
void reduce_own(void* other, void* into, int* count, MPI_Datatype*) {
  reduce_into({"", bytes, element}, reduction, static_cast<const std::byte*>(other),
              static_cast<std::byte*>(into), *count);
}

template <Element element, int64_t bytes>
MPI_User_function* own_operation(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::avg:
    case Reduction::mulsum:
      return reduce_own<element, bytes, Reduction::sum>;
    case Reduction::prod:
      return reduce_own<element, bytes, Reduction::prod>;
    case Reduction::max:
      return reduce_own<element, bytes, Reduction::max>;
    case Reduction::min:
      return reduce_own<element, bytes, Reduction::min>;
  }
  return nullptr;
}

MPI_User_function* own_operation(Element element, Reduction reduction) {
  switch (element) {
    case Element::float16:
      return own_operation<Element::float16, 2>(reduction);
    case Element::bfloat16:
      return own_operation<Element::bfloat16, 2>(reduction);
    case Element::float8e4m3:
      return own_operation<Element::float8e4m3, 1>(reduction);
    default:
      return own_operation<Element::float8e5m2, 1>(reduction);
  }
}

}  // namespace

MpiTypes::MpiTypes() {
  MPI_Type_contiguous(granule_bytes, MPI_BYTE, &granule_);
  MPI_Type_commit(&granule_);
  for (const Datatype& type : own_types) {
    MPI_Type_contiguous(static_cast<int>(type.bytes), MPI_BYTE, &own_types_[type.element]);
    MPI_Type_commit(&own_types_[type.element]);
    for (const Reduction reduction : parse_reductions("all")) {
      MPI_Op_create(own_operation(type.element, reduction), 1,
                    &own_operations_[{type.element, reduction}]);
    }
  }
}

MpiTypes::~MpiTypes() {
  for (auto& [key, operation] : own_operations_) MPI_Op_free(&operation);
  for (auto& [element, type] : own_types_) MPI_Type_free(&type);
  MPI_Type_free(&granule_);
}

std::pair<int, MPI_Datatype> MpiTypes::count_of(int64_t bytes) const {
  if (bytes <= INT_MAX) return {static_cast<int>(bytes), MPI_BYTE};
  const int64_t granules = bytes / granule_bytes;
  if (bytes % granule_bytes != 0 || granules > INT_MAX) {
    throw Error(fmt::format("MPI cannot send {} bytes a rank at once", bytes));
  }
  return {static_cast<int>(granules), granule_};
}

int MpiTypes::elements(int64_t count) const {
  if (count > INT_MAX) {
    throw Error(
        fmt::format("MPI cannot reduce {} elements at once; choose a smaller -e or a "
                    "larger type",
                    count));
  }
  return static_cast<int>(count);
}

MPI_Datatype MpiTypes::element(Datatype type) const {
  switch (type.element) {
    case Element::int8:
      return MPI_INT8_T;
    case Element::uint8:
      return MPI_UINT8_T;
    case Element::int32:
      return MPI_INT32_T;
    case Element::uint32:
      return MPI_UINT32_T;
    case Element::int64:
      return MPI_INT64_T;
    case Element::uint64:
      return MPI_UINT64_T;
    case Element::float32:
      return MPI_FLOAT;
    case Element::float64:
      return MPI_DOUBLE;
    default:
      return own_types_.at(type.element);
  }
}

MPI_Op MpiTypes::reduction(Datatype type, Reduction reduction) const {
  const auto own = own_operations_.find({type.element, reduction});
  if (own != own_operations_.end()) return own->second;
  switch (reduction) {
    case Reduction::sum:
    case Reduction::avg:
    case Reduction::mulsum:
      return MPI_SUM;
    case Reduction::prod:
      return MPI_PROD;
    case Reduction::max:
      return MPI_MAX;
    case Reduction::min:
      return MPI_MIN;
  }
  return MPI_OP_NULL;
}

}  // namespace slipway::bandwidth
