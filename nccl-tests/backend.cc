// The defaults of a backend: host memory, the steady clock, and counting hosts.
#include "nccl-tests/backend.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>

#include <fmt/core.h>

#include "common/error.h"
#include "nccl-tests/memory.h"

namespace slipway::bandwidth {
namespace {

constexpr size_t page_bytes = 4096;

}  // namespace

double Backend::seconds() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void Backend::mark() {
  wait();
  marks_.push_back(seconds());
}

std::vector<double> Backend::between_marks() {
  wait();
  std::vector<double> between;
  for (size_t i = 1; i < marks_.size(); ++i) between.push_back(marks_[i] - marks_[i - 1]);
  marks_.clear();
  return between;
}

double Backend::combine(Combine how, double value) {
  combine(how, std::span(&value, 1));
  return value;
}

std::byte* Backend::allocate(size_t bytes) {
  const size_t whole_pages =
      (std::max<size_t>(bytes, 1) + page_bytes - 1) / page_bytes * page_bytes;
  void* const memory = std::aligned_alloc(page_bytes, whole_pages);
  if (memory == nullptr) throw Error(fmt::format("cannot allocate {} bytes", whole_pages));
  // Touched here, so that timed runs have no page faults.
  std::memset(memory, 0, whole_pages);
  return static_cast<std::byte*>(memory);
}

int64_t Backend::available_memory_bytes() const {
  return bandwidth::available_memory_bytes();
}

void Backend::release(std::byte* memory) {
  std::free(memory);
}

std::unique_ptr<Recording> Backend::record(const std::function<void()>&) {
  throw Error(fmt::format("--cudagraph needs --backend nccl; this run uses {}", info().name));
}

int host_count(const std::vector<RankInfo>& ranks) {
  std::set<std::string> hosts;
  for (const RankInfo& rank : ranks) hosts.insert(rank.host);
  return static_cast<int>(hosts.size());
}

int ranks_on_host_of(int rank, const std::vector<RankInfo>& ranks) {
  const std::string& host = ranks.at(static_cast<size_t>(rank)).host;
  return static_cast<int>(std::ranges::count(ranks, host, &RankInfo::host));
}

}  // namespace slipway::bandwidth
