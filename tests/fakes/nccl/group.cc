// ncclGroupStart and ncclGroupEnd: what is called between them happens together.
#include <thread>
#include <utility>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/nccl/call.h"
#include "tests/fakes/nccl/comm.h"
#include "tests/fakes/nccl/faults.h"
#include "tests/fakes/nccl/log.h"

namespace fake {
namespace {

using Pair = std::pair<ncclComm_t, cudaStream_t>;

bool skips_operations() {
  return setting("FAKE_NCCL_OPERATIONS") == "skip";
}

struct Group {
  int depth = 0;
  std::vector<std::function<ncclResult_t()>> makes;
  std::vector<std::pair<Pair, Operation>> operations;
  std::map<Pair, std::vector<Message>> messages;
};
thread_local Group group;

ncclResult_t from_status(int status) {
  return status == ok ? ncclSuccess : ncclUnhandledCudaError;
}

// What NCCL itself does as a collective; nullptr: it sends and receives.
const char* profiled_name(Kind kind) {
  switch (kind) {
    case Kind::all_gather:
      return "AllGather";
    case Kind::all_reduce:
      return "AllReduce";
    case Kind::reduce_scatter:
      return "ReduceScatter";
    case Kind::broadcast:
      return "Broadcast";
    case Kind::reduce:
      return "Reduce";
    default:
      return nullptr;
  }
}

ncclResult_t queue_operation(const Pair& where, const Operation& operation) {
  const std::shared_ptr<Profiled> profiled = where.first->profiled;
  const char* const name = profiled_name(operation.kind);
  const bool tells = profiled != nullptr && name != nullptr;
  void* const event =
      tells ? profiled->launched(name, operation.count, operation.type, operation.root) : nullptr;
  return from_status(enqueue(reinterpret_cast<Stream*>(where.second), [world = where.first->world,
                                                                       profiled, event, operation] {
    const auto run = [&] { return skips_operations() ? int{ok} : world->run(operation); };
    return event != nullptr ? profiled->run(event, run) : run();
  }));
}

ncclResult_t queue_messages(const Pair& where, const std::vector<Message>& messages) {
  return from_status(
      enqueue(reinterpret_cast<Stream*>(where.second), [world = where.first->world, messages] {
        return skips_operations() ? int{ok} : world->run(messages);
      }));
}

ncclResult_t make_all(const std::vector<std::function<ncclResult_t()>>& makes) {
  std::vector<ncclResult_t> results(makes.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < makes.size(); ++i)
    threads.emplace_back([&, i] { results[i] = makes[i](); });
  for (std::thread& thread : threads) thread.join();
  for (const ncclResult_t result : results) {
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

ncclResult_t refused(ncclComm_t comm, const char* call) {
  static thread_local std::map<ncclComm_t, int64_t> calls;
  const auto order = fault("FAKE_NCCL_REFUSE", comm->world->world_rank, ++calls[comm]);
  if (!order) return ncclSuccess;
  warn(comm->world->device, "enqueue.cc:1556",
       std::string("Cuda failure 2 'out of memory' in ") + call);
  return static_cast<ncclResult_t>(std::atoi(order->c_str()));
}

}  // namespace

ncclResult_t submit(ncclComm_t comm, const char* call, const Operation& operation,
                    cudaStream_t stream) {
  if (const ncclResult_t no = refused(comm, call); no != ncclSuccess) return no;
  if (group.depth > 0) {
    group.operations.emplace_back(Pair{comm, stream}, operation);
    return ncclSuccess;
  }
  return queue_operation({comm, stream}, operation);
}

ncclResult_t submit(ncclComm_t comm, const char* call, const Message& message,
                    cudaStream_t stream) {
  if (const ncclResult_t no = refused(comm, call); no != ncclSuccess) return no;
  if (group.depth > 0) {
    group.messages[{comm, stream}].push_back(message);
    return ncclSuccess;
  }
  return queue_messages({comm, stream}, {message});
}

ncclResult_t start_or_group(std::function<ncclResult_t()> make) {
  if (group.depth == 0) return make();
  group.makes.push_back(std::move(make));
  return ncclSuccess;
}

ncclResult_t invalid(const char* call, const std::string& why) {
  warn(current_device(), "misc/argcheck.cc:44", std::string(call) + " : " + why);
  return ncclInvalidArgument;
}

}  // namespace fake

extern "C" {

ncclResult_t ncclGroupStart() {
  BEGIN_CALL;
  ++fake::group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (const ncclResult_t ordered = fake::begin_call(__func__); ordered != ncclSuccess) {
    fake::group = {};
    return ordered;
  }
  if (fake::group.depth == 0) {
    fake::warn(0, "group.cc:100", "ncclGroupEnd: not in a group call.");
    return ncclInvalidUsage;
  }
  if (--fake::group.depth > 0) return ncclSuccess;
  const fake::Group all = std::exchange(fake::group, {});
  fake::count("grouped operations", static_cast<int64_t>(all.operations.size()));
  if (!all.makes.empty()) return fake::make_all(all.makes);
  for (const auto& [where, operation] : all.operations) {
    const ncclResult_t result = fake::queue_operation(where, operation);
    if (result != ncclSuccess) return result;
  }
  for (const auto& [where, messages] : all.messages) {
    const ncclResult_t result = fake::queue_messages(where, messages);
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

}  // extern "C"
