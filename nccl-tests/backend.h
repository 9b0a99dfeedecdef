// The interface to what moves the data: ranks, clock, memory and collective operations.
//
// Every rank has a backend. Calls marked as collective must be made by all ranks in the same order.
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
  std::string memory;   // of the buffers: "host" or "gpu"
  std::string library;  // name and version of the library that moves data: "Open MPI 4.1.4"
};

struct RankInfo {
  int rank = 0;
  int64_t pid = 0;
  std::string host;
  int device = 0;           // the GPU's number on the host; in host memory, the rank's number there
  std::string device_id;    // the PCI address of a GPU; "host memory" without one
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
  // All ranks, in order, the same on each.
  virtual const std::vector<RankInfo>& ranks() const = 0;
  int size() const { return static_cast<int>(ranks().size()); }

  // Seconds on this rank's clock, since an arbitrary moment.
  virtual double seconds() const;

  // Starts an operation; collective. It is in place if its buffers have the offsets of Shape.
  virtual void start(const Operation& operation) = 0;
  // Waits for all operations that this rank has started.
  virtual void wait() = 0;
  // Whether the data is correct after an operation in place.
  virtual bool works_in_place(Kind) const { return true; }
  // False if operations only take time.
  virtual bool moves_data() const { return true; }

  // Collective: no rank returns before all have called it.
  virtual void barrier() = 0;
  // Combines each value over all ranks; collective, with the same number of values.
  virtual void combine(Combine how, std::span<double> values) = 0;
  double combine(Combine how, double value);
  // The texts of all ranks, in order; collective.
  virtual std::vector<std::string> share(const std::string& text) = 0;

  // The transport that the data has used, as far as this rank can detect: "tcp enp0s12", "shared
  // memory"; empty if it cannot.
  virtual std::string transport() const = 0;

  // A backend of the ranks that pass the same `group`, in order of rank; collective.
  virtual std::unique_ptr<Backend> split(int group) = 0;

  // Memory for buffers, and copies between it and host memory. By default, it is host memory.
  virtual std::byte* allocate(size_t bytes);
  virtual void release(std::byte* memory);
  virtual bool in_host_memory() const { return true; }
  // How much this process may allocate, of the host's memory or its GPU's.
  virtual int64_t available_memory_bytes() const;
  virtual void copy_in(std::span<const std::byte> from, std::byte* to);
  virtual void copy_out(const std::byte* from, std::span<std::byte> to);
};

// The number of different hosts among the ranks.
int host_count(const std::vector<RankInfo>& ranks);

// The number of ranks on the host of `rank`.
int ranks_on_host_of(int rank, const std::vector<RankInfo>& ranks);

}  // namespace slipway::bandwidth
