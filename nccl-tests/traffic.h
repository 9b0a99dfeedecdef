// How much each rank sends to each other one in alltoallv: nccl-tests' rule, or a matrix from a
// file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

// All amounts are multiples of 16 bytes, so that blocks stay aligned.
struct Traffic {
  double spread = 1;     // without a matrix; 0: the same to all, 1: in proportion to the distance
  int matrix_ranks = 0;  // rows and columns; 0: there is no matrix
  std::vector<int64_t> matrix_bytes = {};  // row by row: what the row's rank sends
  bool prints_summary = false;

  // What `from` sends to `to`. `total_bytes` is what each rank sends if there is no matrix.
  int64_t bytes(int from, int to, int ranks, int64_t total_bytes) const;

  struct Total {
    int64_t sent_bytes = 0;
    int64_t received_bytes = 0;
  };
  Total total_of(int rank, int ranks, int64_t total_bytes) const;
  // Of each side, that of the rank with most.
  Total largest(int ranks, int64_t total_bytes) const;
};

// What NCCL_TESTS_ALLTOALLV_SPREAD, _MATRIX_FILE, _MATRIX_SCALE and _PRINT_SUMMARY order. They are
// read once. Throws Error with the variable, and with the line of the file.
const Traffic& traffic();

// A square of numbers, read as bytes. Throws Error with `name` and the line.
Traffic parse_traffic(std::string_view text, double scale, const std::string& name);

// The bandwidth of each rank in an operation of `us`, as comments, like nccl-tests'.
std::string traffic_summary(const Traffic& traffic, int ranks, int64_t total_bytes, double us);

}  // namespace slipway::bandwidth
