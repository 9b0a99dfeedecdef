// How much each rank sends to each other one in alltoallv.
#include "nccl-tests/traffic.h"

#include <algorithm>
#include <sstream>

#include <fmt/core.h>

#include "common/count.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

constexpr int64_t traffic_granule_bytes = 16;
constexpr size_t largest_matrix_bytes = size_t{256} << 20;
constexpr double largest_cell_bytes = 0x1p50;

int64_t whole_granules(double bytes) {
  return static_cast<int64_t>(bytes) / traffic_granule_bytes * traffic_granule_bytes;
}

double number_of_variable(const char* name, double least, double most, double otherwise) {
  const std::string text = environment_variable(name);
  if (text.empty()) return otherwise;
  const auto number = to_number<double>(text);
  if (number && *number >= least && *number <= most) return *number;
  throw Error(fmt::format("{} is `{}`, expected a number from {} to {}", name, text, least, most));
}

Traffic traffic_of_environment() {
  const std::string file = environment_variable("NCCL_TESTS_ALLTOALLV_MATRIX_FILE");
  const double spread = number_of_variable("NCCL_TESTS_ALLTOALLV_SPREAD", 0, 1, 1);
  const double scale = number_of_variable("NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", 0, 1e9, 1);
  Traffic traffic;
  if (!file.empty())
    traffic = parse_traffic(read_regular_file(file, largest_matrix_bytes), scale, file);
  traffic.spread = spread;
  const std::string summary = environment_variable("NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY");
  traffic.prints_summary = !summary.empty() && summary != "0";
  return traffic;
}

}  // namespace

int64_t Traffic::bytes(int from, int to, int ranks, int64_t total_bytes) const {
  if (matrix_ranks > 0)
    return matrix_bytes[static_cast<size_t>(from) * static_cast<size_t>(matrix_ranks) +
                        static_cast<size_t>(to)];
  const auto total = static_cast<double>(total_bytes);
  if (ranks == 1) return whole_granules(total);
  const double distance = (to - from + ranks) % ranks;
  const double all_distances = static_cast<double>(ranks) * (ranks - 1) / 2;
  return whole_granules((1 - spread) * (total / ranks) +
                        spread * (distance * total / all_distances));
}

Traffic::Total Traffic::total_of(int rank, int ranks, int64_t total_bytes) const {
  Total total;
  for (int peer = 0; peer < ranks; ++peer) {
    total.sent_bytes += bytes(rank, peer, ranks, total_bytes);
    total.received_bytes += bytes(peer, rank, ranks, total_bytes);
  }
  return total;
}

Traffic::Total Traffic::largest(int ranks, int64_t total_bytes) const {
  Total most = total_of(0, ranks, total_bytes);
  if (matrix_ranks == 0) return most;  // it is the same for each rank
  for (int rank = 1; rank < ranks; ++rank) {
    const Total one = total_of(rank, ranks, total_bytes);
    most.sent_bytes = std::max(most.sent_bytes, one.sent_bytes);
    most.received_bytes = std::max(most.received_bytes, one.received_bytes);
  }
  return most;
}

const Traffic& traffic() {
  static const Traffic read = traffic_of_environment();
  return read;
}

Traffic parse_traffic(std::string_view text, double scale, const std::string& name) {
  Traffic found;
  size_t columns = 0, rows = 0;
  int number = 0;
  for (const std::string& line : split(std::string(text), '\n')) {
    ++number;
    size_t in_row = 0;
    std::istringstream cells(line);
    for (std::string word; cells >> word;) {
      const auto cell = to_number<double>(word);
      const double bytes = cell.value_or(-1) * scale;
      if (!(bytes >= 0 && bytes <= largest_cell_bytes))
        throw Error(fmt::format("{}:{}: `{}` is not a number of bytes", name, number, word));
      found.matrix_bytes.push_back(whole_granules(bytes));
      ++in_row;
    }
    if (in_row == 0) continue;
    if (rows++ == 0) columns = in_row;
    if (in_row != columns)
      throw Error(fmt::format("{}:{}: this row has {}, the first one {}", name, number,
                              counted(in_row, "column"), columns));
  }
  if (rows == 0 || rows != columns)
    throw Error(
        fmt::format("{}: a matrix of traffic has a row and a column for each rank; this one has "
                    "{} and {}",
                    name, counted(rows, "row"), counted(columns, "column")));
  found.matrix_ranks = static_cast<int>(rows);
  return found;
}

std::string traffic_summary(const Traffic& traffic, int ranks, int64_t total_bytes, double us) {
  const std::string how =
      traffic.matrix_ranks > 0
          ? fmt::format("mode=matrix nranks={} matrix_dim={}", ranks, traffic.matrix_ranks)
          : fmt::format("mode=generated nranks={} total_bytes={} spread={:.3f}", ranks, total_bytes,
                        traffic.spread);
  std::string text =
      fmt::format("# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: {} time_usec={:.2f}\n", how, us);
  for (int rank = 0; rank < ranks; ++rank) {
    const Traffic::Total total = traffic.total_of(rank, ranks, total_bytes);
    const double most = static_cast<double>(std::max(total.sent_bytes, total.received_bytes));
    const double algbw = us > 0 ? most / 1e3 / us : 0;
    text +=
        fmt::format("#   rank={} send_bytes={} recv_bytes={} alg_bw={:.2f} bus_bw={:.2f}\n", rank,
                    total.sent_bytes, total.received_bytes, algbw, algbw * (ranks - 1) / ranks);
  }
  return text;
}

}  // namespace slipway::bandwidth
