// Starts collectives with NCCL.
#include "nccl-tests/nccl_operations.h"

#include "nccl-tests/number_tables.h"

namespace slipway::bandwidth {
namespace {

// The reduction of an operation. A sum of products is made for each operation, as in nccl-tests.
class Reducer {
 public:
  Reducer(const NcclLibrary& nccl, const Operation& op, const NcclPlace& place)
      : nccl_(nccl), comm_(place.comm), made_(op.reduction == Reduction::mulsum) {
    constexpr int scalar_of_host = 1;  // ncclScalarHostImmediate
    code_ = static_cast<int>(op.reduction);
    if (!made_) return;
    std::byte scalar[sizeof(double)] = {};
    store_element(op.type.element, factor_of(place.rank), scalar);
    nccl_.check(nccl_.ncclRedOpCreatePreMulSum(&code_, scalar, static_cast<int>(op.type.element),
                                               scalar_of_host, comm_),
                "ncclRedOpCreatePreMulSum");
  }
  ~Reducer() {
    if (made_) nccl_.ncclRedOpDestroy(code_, comm_);
  }
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;
  int code() const { return code_; }

 private:
  const NcclLibrary& nccl_;
  NcclComm comm_;
  bool made_;
  int code_ = 0;
};

int start_reduction(const NcclLibrary& nccl, const Operation& op, const NcclPlace& place) {
  const auto count = static_cast<size_t>(op.count);
  const int type = static_cast<int>(op.type.element);
  const Reducer how(nccl, op, place);
  if (op.kind == Kind::all_reduce)
    return nccl.ncclAllReduce(op.send, op.receive, count, type, how.code(), place.comm,
                              place.stream);
  if (op.kind == Kind::reduce_scatter)
    return nccl.ncclReduceScatter(op.send, op.receive, count, type, how.code(), place.comm,
                                  place.stream);
  return nccl.ncclReduce(op.send, op.receive, count, type, how.code(), op.root, place.comm,
                         place.stream);
}

// Sends and receives in a group, for what this NCCL has no function for.
void start_pairs(const NcclLibrary& nccl, const Operation& op, const NcclPlace& place) {
  const Collective& collective = collective_of(op.kind);
  const auto count = static_cast<size_t>(op.count);
  const int type = static_cast<int>(op.type.element);
  const int own = place.rank, n = place.ranks;
  nccl.check(nccl.ncclGroupStart(), "ncclGroupStart");
  for (int peer = 0; peer < n; ++peer) {
    const bool all = op.kind == Kind::alltoall, ring = op.kind == Kind::sendrecv;
    const bool to_peer = all || (op.kind == Kind::gather && peer == op.root) ||
                         (op.kind == Kind::scatter && own == op.root) ||
                         (ring && peer == (own + 1) % n);
    const bool from_peer = all || (op.kind == Kind::gather && own == op.root) ||
                           (op.kind == Kind::scatter && peer == op.root) ||
                           (ring && own == (peer + 1) % n);
    const std::byte* from = op.send + (collective.sends_all ? op.block_bytes() * peer : 0);
    std::byte* to = op.receive + (collective.receives_all ? op.block_bytes() * peer : 0);
    if (to_peer)
      nccl.check(nccl.ncclSend(from, count, type, peer, place.comm, place.stream), "ncclSend");
    if (from_peer)
      nccl.check(nccl.ncclRecv(to, count, type, peer, place.comm, place.stream), "ncclRecv");
  }
  nccl.check(nccl.ncclGroupEnd(), "ncclGroupEnd");
}

// False if this NCCL has no function of its own.
bool start_own(const NcclLibrary& nccl, const Operation& op, const NcclPlace& place) {
  const auto count = static_cast<size_t>(op.count);
  const int type = static_cast<int>(op.type.element);
  const NcclComm comm = place.comm;
  const CudaStream stream = place.stream;
  int status = 0;
  switch (op.kind) {
    case Kind::all_gather:
      status = nccl.ncclAllGather(op.send, op.receive, count, type, comm, stream);
      break;
    case Kind::broadcast:
      status = nccl.ncclBroadcast(op.send, op.receive, count, type, op.root, comm, stream);
      break;
    case Kind::alltoall:
      if (nccl.ncclAlltoAll == nullptr) return false;
      status = nccl.ncclAlltoAll(op.send, op.receive, count, type, comm, stream);
      break;
    case Kind::gather:
      if (nccl.ncclGather == nullptr) return false;
      status = nccl.ncclGather(op.send, op.receive, count, type, op.root, comm, stream);
      break;
    case Kind::scatter:
      if (nccl.ncclScatter == nullptr) return false;
      status = nccl.ncclScatter(op.send, op.receive, count, type, op.root, comm, stream);
      break;
    case Kind::sendrecv:
      return false;
    default:
      status = start_reduction(nccl, op, place);
  }
  nccl.check(status, collective_of(op.kind).name.data());
  return true;
}

}  // namespace

void start_operation(const NcclLibrary& nccl, const Operation& operation, const NcclPlace& place) {
  if (!start_own(nccl, operation, place)) start_pairs(nccl, operation, place);
}

}  // namespace slipway::bandwidth
