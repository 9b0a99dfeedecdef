// What a collective runs on: the ranks, the clock, the memory, and the operations between them.
//
// A backend is made on every rank, and every call that says so is made by all ranks in the same
// order. Only the backends know what moves the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nccl-tests/collective.h"
#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

struct BackendInfo {
  std::string name;     // "mpi"
  std::string memory;   // where the buffers are: "host" or "gpu"
  std::string library;  // name and version of what moves the data: "Open MPI 4.1.4"
};

struct RankInfo {
  int rank = 0;
  int64_t pid = 0;
  std::string host;
  int device = 0;           // its number on the host; in host memory, the rank's number there
  std::string device_id;    // the PCI address of a GPU; "host memory" where there is none
  std::string device_name;  // of the GPU, or of the CPU
};

enum class Combine { sum, min, max };

// One run of a collective on one rank.
struct Operation {
  Kind kind = Kind::all_gather;
  Datatype type;
  Reduction reduction = Reduction::sum;
  int root = 0;
  int64_t count = 0;  // elements of a block, as in Shape
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;

  int64_t block_bytes() const { return count * type.bytes; }
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendInfo info() const = 0;
  virtual int rank() const = 0;
  // All ranks, in order; known to each.
  virtual const std::vector<RankInfo>& ranks() const = 0;
  int size() const { return static_cast<int>(ranks().size()); }

  // Seconds since some moment, the same clock for one rank's calls.
  virtual double seconds() const;

  // Starts an operation; all ranks. In place, when its buffers are where Shape's offsets put them.
  virtual void start(const Operation& operation) = 0;
  // Waits for every operation that this rank has started.
  virtual void wait() = 0;
  // Whether data is right after an operation in place.
  virtual bool works_in_place(Kind) const { return true; }
  // False when operations only take their time.
  virtual bool moves_data() const { return true; }

  // All ranks, and none returns before all have called.
  virtual void barrier() = 0;
  // Each value of all ranks combined, known to each; all ranks, with as many values.
  virtual void combine(Combine how, std::span<double> values) = 0;
  double combine(Combine how, double value);
  // The text of every rank, in order, known to each; all ranks.
  virtual std::vector<std::string> share(const std::string& text) = 0;

  // How the data has travelled so far as this rank can tell: "tcp enp0s12", "shared memory"; empty
  // when it cannot. Detected, not configured.
  virtual std::string transport() const = 0;

  // The same ranks less those that do not say the same `group`; all ranks. In order of rank.
  virtual std::unique_ptr<Backend> split(int group) = 0;

  // Memory for buffers, and copies between it and that of the CPU. Of host memory by default.
  virtual std::byte* allocate(size_t bytes);
  virtual void release(std::byte* memory);
  virtual bool in_host_memory() const { return true; }
  // What this process may take of it: of the host's, or of its GPU's.
  virtual int64_t available_memory_bytes() const;
  virtual void copy_in(std::span<const std::byte> from, std::byte* to);
  virtual void copy_out(const std::byte* from, std::span<std::byte> to);
};

// The number of different hosts among the ranks.
int host_count(const std::vector<RankInfo>& ranks);

// The number of ranks on the host of `rank`.
int ranks_on_host_of(int rank, const std::vector<RankInfo>& ranks);

}  // namespace slipway::bandwidth
