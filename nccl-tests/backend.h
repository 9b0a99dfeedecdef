// The interface to what moves the data: ranks, clock, memory and collective operations.
//
// Every rank has a backend. Calls marked as collective must be made by all ranks in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nccl-tests/collective.h"
#include "nccl-tests/pattern.h"
#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

struct BackendInfo {
  std::string name;     // "mpi"
  std::string memory;   // of the buffers: "host" or "gpu"
  std::string library;  // name and version of the library that moves data: "Open MPI 4.1.4"
  int version = 0;      // NCCL's number, 22809; 0 of another library
};

struct RankInfo {
  int rank = 0;
  int64_t pid = 0;
  std::string host;
  int device = 0;           // the GPU's number on the host; in host memory, the rank's number there
  std::string device_id;    // the PCI address of a GPU; "host memory" without one
  std::string device_name;  // of the GPU, or of the CPU
  int group = 0;            // of NCCL_TESTS_SPLIT: ranks of a group run together
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

// Operations that were recorded once, to be started as often as needed: a CUDA graph.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void play() = 0;
};

// Gets what a rank is doing, for messages.
using OnPhase = std::function<void(const std::string& phase)>;

class Backend {
 public:
  virtual ~Backend() = default;

  // Takes what moves the data and connects it to that of the other ranks; collective, once, before
  // anything but the ranks and share(), barrier() and combine() are used. It may wait for a rank
  // that has failed, or hang in a driver: so it comes when a Heartbeat already watches.
  virtual void connect(const OnPhase& = [](const std::string&) {}) {}

  // Ends what connect() has begun; collective, and the last call. A library may wait for other
  // ranks in it, so a Heartbeat still watches. Buffers have to be released before.
  virtual void disconnect() {}

  virtual BackendInfo info() const = 0;
  virtual int rank() const = 0;
  // All ranks, in order, the same on each.
  virtual const std::vector<RankInfo>& ranks() const = 0;
  int size() const { return static_cast<int>(ranks().size()); }
  // With NCCL_TESTS_SPLIT, ranks() are those of this rank's group, and these are those of all
  // groups. barrier(), combine() and share() are always of all.
  virtual int rank_of_all() const { return rank(); }
  virtual const std::vector<RankInfo>& all_ranks() const { return ranks(); }

  // Seconds on this rank's clock, since an arbitrary moment.
  virtual double seconds() const;

  // Starts an operation; collective. It is in place if its buffers have the offsets of Shape.
  virtual void start(const Operation& operation) = 0;
  // Waits for all operations that this rank has started.
  virtual void wait() = 0;
  // Operations between the two are given to the library together (nccl-tests' -m).
  virtual void begin_group() {}
  virtual void end_group() {}
  // Marks the moment at which all that this rank has started so far is done. By default, waits for
  // it.
  virtual void mark();
  // Waits, and returns the seconds from each mark to the next since the last call.
  virtual std::vector<double> between_marks();
  // Records the operations that `start` starts, which do not run. Throws Error if the backend
  // cannot.
  virtual std::unique_ptr<Recording> record(const std::function<void()>& start);
  // Whether the data is correct after an operation in place.
  virtual bool works_in_place(Kind) const { return true; }
  // Whether there are operations on this type, this reduction, and, if so, on both together.
  virtual bool has(Datatype) const { return true; }
  virtual bool has(Reduction reduction) const { return reduction != Reduction::mulsum; }
  virtual bool has(Datatype, Reduction) const { return true; }
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
  // What the library itself has taken of that, as far as it is known.
  virtual int64_t library_memory_bytes() const { return 0; }
  // Writes and compares the data of checked runs, where the buffers are.
  virtual Patterns& patterns() { return host_patterns_; }

  // The process ends soon although an operation may still run: prints what the library said about
  // it, and stops it. Any thread may call it, more than once.
  virtual void end_early() {}

 private:
  HostPatterns host_patterns_;
  std::vector<double> marks_;
};

// The number of different hosts among the ranks.
int host_count(const std::vector<RankInfo>& ranks);

// The number of ranks on the host of `rank`.
int ranks_on_host_of(int rank, const std::vector<RankInfo>& ranks);

}  // namespace slipway::bandwidth
