// The stream of a rank and its communicator.
#include "nccl-tests/nccl_stream.h"

#include <sched.h>

#include <chrono>
#include <thread>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

using Clock = std::chrono::steady_clock;

// A short operation is polled for without a pause. For a long one, a pause costs less than a
// thousandth of its time, and the processors are free for NCCL's own threads.
constexpr auto short_operation = std::chrono::milliseconds(100);
constexpr auto pause = std::chrono::microseconds(50);

class Graph final : public Recording {
 public:
  Graph(std::shared_ptr<const CudaLibrary> cuda, CudaGraph graph, CudaStream stream)
      : cuda_(std::move(cuda)), graph_(graph), stream_(stream) {
    cuda_->check(cuda_->cudaGraphInstantiateWithFlags(&exec_, graph_, 0),
                 "cudaGraphInstantiateWithFlags");
  }
  ~Graph() override {
    cuda_->cudaGraphExecDestroy(exec_);
    cuda_->cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void play() override { cuda_->check(cuda_->cudaGraphLaunch(exec_, stream_), "cudaGraphLaunch"); }

 private:
  std::shared_ptr<const CudaLibrary> cuda_;
  CudaGraph graph_;
  CudaGraphExec exec_ = nullptr;
  CudaStream stream_;
};

}  // namespace

NcclStream::NcclStream(std::shared_ptr<const NcclLibrary> library, NcclComm comm, bool null_stream)
    : library_(std::move(library)), comm_(comm) {
  if (null_stream) return;
  const CudaLibrary& cuda = *library_->cuda;
  cuda.check(cuda.cudaStreamCreateWithFlags(&stream_, cuda_non_blocking_stream),
             "cudaStreamCreateWithFlags");
}

NcclStream::~NcclStream() {
  leave();
  if (stream_ != nullptr) library_->cuda->cudaStreamDestroy(stream_);
}

void NcclStream::leave() {
  if (const NcclComm comm = comm_.exchange(nullptr)) library_->ncclCommDestroy(comm);
}

void NcclStream::abort() {
  const std::lock_guard lock(asking_);
  if (const NcclComm comm = comm_.exchange(nullptr)) library_->ncclCommAbort(comm);
}

// What has failed since, or 0. abort() on another thread must not end the communicator meanwhile.
int NcclStream::async_error() {
  const std::lock_guard lock(asking_);
  const NcclComm comm = comm_;
  if (comm == nullptr) throw Error("the operation was stopped");
  int failed = 0;
  library_->check(library_->ncclCommGetAsyncError(comm, &failed), "ncclCommGetAsyncError");
  return failed;
}

void NcclStream::wait() {
  const CudaLibrary& cuda = *library_->cuda;
  const auto begin = Clock::now();
  for (;;) {
    const int status = cuda.cudaStreamQuery(stream_);
    if (status == 0) return;
    if (status != cuda_not_ready) cuda.check(status, "a GPU operation failed");
    if (const int failed = async_error(); failed != 0) {
      abort();
      library_->check(failed, "an operation of NCCL failed");
    }
    if (Clock::now() - begin < short_operation)
      ::sched_yield();
    else
      std::this_thread::sleep_for(pause);
  }
}

std::unique_ptr<Recording> NcclStream::record(const std::function<void()>& start) {
  if (stream_ == nullptr)
    throw Error("CUDA cannot record the null stream: leave out --stream_null");
  const std::shared_ptr<const CudaLibrary>& cuda = library_->cuda;
  cuda->check(cuda->cudaStreamBeginCapture(stream_, cuda_capture_of_this_thread),
              "cudaStreamBeginCapture");
  start();
  CudaGraph graph = nullptr;
  cuda->check(cuda->cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  return std::make_unique<Graph>(cuda, graph, stream_);
}

}  // namespace slipway::bandwidth
