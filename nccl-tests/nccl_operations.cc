// Starts collectives with NCCL.
#include "nccl-tests/nccl_operations.h"

#include "nccl-tests/number_tables.h"
#include "nccl-tests/rounds.h"

namespace slipway::bandwidth {
namespace {

// The reduction of an operation. A sum of products is made for each operation, as in nccl-tests.
class Reducer {
 public:
  Reducer(const NcclLibrary& nccl, const Operation& op, const NcclPlace& place)
      : nccl_(nccl), comm_(place.comm), made_(op.reduction == Reduction::mulsum) {
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

// Sends and receives in groups, for what this NCCL has no function for. Elements are sent, not
// bytes, as nccl-tests does.
void start_pairs(const NcclLibrary& nccl, const Operation& op, const NcclPlace& place) {
  const int type = static_cast<int>(op.type.element);
  const auto count = [&](int64_t bytes) { return static_cast<size_t>(bytes / op.type.bytes); };
  for (const Exchanges& round : rounds_of(op, place.rank, place.ranks)) {
    if (op.kind == Kind::hypercube && round.front().peer == place.rank) {
      const Exchange& own = round.front();
      nccl.cuda->check(
          nccl.cuda->cudaMemcpyAsync(own.to, own.from, static_cast<size_t>(own.sent_bytes),
                                     cuda_copy_in_any_direction, place.stream),
          "cudaMemcpyAsync");
      continue;
    }
    nccl.check(nccl.ncclGroupStart(), "ncclGroupStart");
    for (const Exchange& one : round) {
      if (one.sent_bytes > 0)
        nccl.check(nccl.ncclSend(one.from, count(one.sent_bytes), type, one.peer, place.comm,
                                 place.stream),
                   "ncclSend");
      if (one.received_bytes > 0)
        nccl.check(nccl.ncclRecv(one.to, count(one.received_bytes), type, one.peer, place.comm,
                                 place.stream),
                   "ncclRecv");
    }
    nccl.check(nccl.ncclGroupEnd(), "ncclGroupEnd");
  }
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
    case Kind::alltoallv:
    case Kind::hypercube:
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
