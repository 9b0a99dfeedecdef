// The stream of a rank and its communicator: what runs, whether it ends, and how it fails.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "nccl-tests/backend.h"
#include "nccl-tests/nccl_library.h"

namespace slipway::bandwidth {

class NcclStream {
 public:
  // Takes the communicator. A null stream is CUDA's own of the device.
  NcclStream(std::shared_ptr<const NcclLibrary> library, NcclComm comm, bool null_stream);
  ~NcclStream();
  NcclStream(const NcclStream&) = delete;
  NcclStream& operator=(const NcclStream&) = delete;

  NcclComm comm() const { return comm_; }
  CudaStream stream() const { return stream_; }

  // Waits for the stream, and asks NCCL meanwhile whether it has failed: an operation that has
  // failed does not end by itself. Throws Error, after ncclCommAbort().
  void wait();
  // Ends what runs; any thread may call it.
  void abort();
  // Gives the communicator back, for which NCCL may wait for other ranks.
  void leave();

  std::unique_ptr<Recording> record(const std::function<void()>& start);

 private:
  int async_error();

  std::shared_ptr<const NcclLibrary> library_;
  std::atomic<NcclComm> comm_;
  std::mutex asking_;  // of questions to the communicator, and of its end
  CudaStream stream_ = nullptr;
};

}  // namespace slipway::bandwidth
