// What a collective runs on: the ranks, the clock, and the operations between them.
//
// A backend is made on every rank, and every call but rank(), ranks(), info() and seconds() is made
// by all ranks in the same order. Nothing else in this room knows MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slipway::bandwidth {

struct BackendInfo {
  std::string name;     // "mpi"
  std::string memory;   // where the buffers are: "host"
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

class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendInfo info() const = 0;
  virtual int rank() const = 0;
  // All ranks, in order; known to each.
  virtual const std::vector<RankInfo>& ranks() const = 0;
  int size() const { return static_cast<int>(ranks().size()); }

  // Seconds since some moment, the same clock for one rank's calls.
  virtual double seconds() const = 0;

  // Starts to gather `bytes_per_rank` bytes of every rank, in rank order, in `receive`
  // (bytes_per_rank × size() bytes). In place when `send` is this rank's block of `receive`.
  virtual void all_gather(const std::byte* send, std::byte* receive, int64_t bytes_per_rank) = 0;

  // Waits for every operation that this rank has started.
  virtual void wait() = 0;

  virtual void barrier() = 0;

  // `value` of all ranks combined, known to each.
  virtual double combine(Combine how, double value) = 0;
};

// The number of different hosts among the ranks.
int host_count(const std::vector<RankInfo>& ranks);

// The number of ranks on the host of `rank`.
int ranks_on_host_of(int rank, const std::vector<RankInfo>& ranks);

}  // namespace slipway::bandwidth
