// The collectives of the stand-in: they check their arguments as NCCL does, and are queued.
#include <algorithm>
#include <string>

#include "tests/fakes/nccl/call.h"
#include "tests/fakes/nccl/comm.h"
#include "tests/fakes/nccl/elements.h"

#ifndef FAKE_NCCL
#define FAKE_NCCL 22809
#endif

namespace {

constexpr int fp8 = 10;  // this type and the next; came with 2.24
constexpr int types = FAKE_NCCL >= 22400 ? fp8 + 2 : fp8;

// What every collective and message checks first. Counts the call.
ncclResult_t check(const char* call, ncclComm_t comm, int type, const char* what, int rank) {
  if (const ncclResult_t ordered = fake::begin_call(call); ordered != ncclSuccess) return ordered;
  if (comm == nullptr) return fake::invalid(call, "comm argument is NULL");
  if (type < 0 || type >= types) return fake::invalid(call, "invalid type " + std::to_string(type));
  const int size = comm->world->size;
  if (rank >= 0 && rank < size) return ncclSuccess;
  const std::string number = std::to_string(rank), end = std::to_string(size);
  return fake::invalid(call, std::string("invalid ") + what + " " + number + " (" + what +
                                 " should be in the 0.." + end + " range)");
}

ncclResult_t start(const char* call, ncclComm_t comm, cudaStream_t stream, fake::Operation made) {
  const ncclResult_t checked = check(call, comm, made.type, "root", made.root);
  if (checked != ncclSuccess) return checked;
  // As ncclLaunchOneRank() of NCCL's src/device/onerank.cu, which has no kernel for these.
  const bool multiplies = made.op == ncclAvg || made.op >= ncclNumOps;
  if (comm->world->size == 1 && multiplies && made.type >= fp8) return ncclInvalidArgument;
  if (made.op >= ncclNumOps) {
    const auto scalar = comm->scalars.find(made.op);
    if (scalar == comm->scalars.end())
      return fake::invalid(
          call, "reduction operation " + std::to_string(made.op) + " unknown to this communicator");
    std::ranges::copy(scalar->second, made.scalar);
    made.op = ncclSum;
    made.multiplies = true;
  }
  return fake::submit(comm, call, made, stream);
}

ncclResult_t send_or_receive(const char* call, bool sends, void* at, size_t count,
                             ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  const ncclResult_t checked = check(call, comm, type, "peer", peer);
  if (checked != ncclSuccess) return checked;
  const fake::Message message{sends, at, count * static_cast<size_t>(fake::bytes_of(type)), peer};
  return fake::submit(comm, call, message, stream);
}

}  // namespace

extern "C" {

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream, {fake::Kind::all_gather, send, receive, count, type});
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream, {fake::Kind::all_reduce, send, receive, count, type, op});
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {fake::Kind::reduce_scatter, send, receive, count, type, op});
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream,
               {fake::Kind::broadcast, send, receive, count, type, 0, root});
}

ncclResult_t ncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream, {fake::Kind::reduce, send, receive, count, type, op, root});
}

ncclResult_t ncclSend(const void* send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return send_or_receive(__func__, true, const_cast<void*>(send), count, type, peer, comm, stream);
}

ncclResult_t ncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return send_or_receive(__func__, false, receive, count, type, peer, comm, stream);
}

#if FAKE_NCCL >= 22800
ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream, {fake::Kind::alltoall, send, receive, count, type});
}

ncclResult_t ncclGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream, {fake::Kind::gather, send, receive, count, type, 0, root});
}

ncclResult_t ncclScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
  return start(__func__, comm, stream, {fake::Kind::scatter, send, receive, count, type, 0, root});
}
#endif

}  // extern "C"
