// Patterns in the memory of a GPU.
#include "nccl-tests/gpu_patterns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>

#include "common/keep_to_end.h"
#include "nccl-tests/check_kernels.h"

namespace slipway::bandwidth {
namespace {

constexpr uint64_t threads = 256;
// Enough threads to fill any GPU's memory bandwidth; each has several items of a large buffer.
constexpr uint64_t most_blocks = 2048, items_of_a_thread = 4;

uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

}  // namespace

GpuPatterns::GpuPatterns(std::shared_ptr<const CudaLibrary> cuda, CudaStream stream,
                         std::function<void()> wait)
    : cuda_(std::move(cuda)), stream_(stream), wait_(std::move(wait)) {
  cuda_->check(cuda_->cudaMalloc(&sum_, sizeof(int64_t)), "cudaMalloc");
  cuda_->check(cuda_->cudaMalloc(&table_memory_, table_entries * sizeof(uint64_t)), "cudaMalloc");
  cuda_->check_driver(cuda_->cuModuleLoadData(&module_, check_kernels), "cuModuleLoadData");
  cuda_->check_driver(cuda_->cuModuleGetFunction(&words_, module_, "words"), "cuModuleGetFunction");
  cuda_->check_driver(cuda_->cuModuleGetFunction(&table_, module_, "table"), "cuModuleGetFunction");
  reset();
}

GpuPatterns::~GpuPatterns() {
  // After a failure, work on the stream may still use all of it, which then stays until the process
  // ends.
  if (std::uncaught_exceptions() != 0) {
    keep_to_end(std::move(host_));
    return;
  }
  if (module_ != nullptr) cuda_->cuModuleUnload(module_);
  cuda_->cudaFree(table_memory_);
  cuda_->cudaFree(sum_);
}

void GpuPatterns::reset() {
  static constexpr int64_t zero = 0;
  cuda_->check(
      cuda_->cudaMemcpyAsync(sum_, &zero, sizeof zero, cuda_copy_in_any_direction, stream_),
      "cudaMemcpyAsync");
}

void GpuPatterns::fill(std::span<std::byte> buffer, const Pattern& pattern) {
  launch(buffer.data(), buffer.size(), pattern, false, nullptr);
}

void GpuPatterns::fill(std::span<std::byte> buffer, Inverted pattern) {
  launch(buffer.data(), buffer.size(), pattern.pattern, true, nullptr);
}

void GpuPatterns::check(std::span<const std::byte> buffer, const Pattern& pattern) {
  launch(buffer.data(), buffer.size(), pattern, false, sum_);
}

int64_t GpuPatterns::take_wrong() {
  cuda_->check(cuda_->cudaMemcpyAsync(&host_->wrong, sum_, sizeof host_->wrong,
                                      cuda_copy_in_any_direction, stream_),
               "cudaMemcpyAsync");
  wait_();
  const int64_t wrong = host_->wrong;
  reset();
  wait_();
  return wrong;
}

void GpuPatterns::launch(const std::byte* buffer, size_t bytes, const Pattern& pattern,
                         bool inverted, void* wrong) {
  if (bytes == 0) return;
  const bool words = std::holds_alternative<WordPattern>(pattern.of);
  (this->*(words ? &GpuPatterns::launch_words : &GpuPatterns::launch_table))(
      address_of(buffer), bytes, pattern, inverted, address_of(wrong));
}

void GpuPatterns::launch_words(uint64_t buffer, uint64_t bytes, const Pattern& pattern,
                               bool inverted, uint64_t wrong) {
  const auto& words = std::get<WordPattern>(pattern.of);
  std::array<uint64_t, 9> arguments = {buffer,
                                       bytes,
                                       static_cast<uint64_t>(words.block_bytes),
                                       seed_hash(words.seed) + 1,
                                       words.stream,
                                       words.step,
                                       inverted ? ~uint64_t{0} : 0,
                                       static_cast<uint64_t>(pattern.element_bytes),
                                       wrong};
  start(words_, (bytes + 7) / 8, arguments);
}

// The kernel reads the table, so the next table may be copied only after it: both are on the
// stream.
void GpuPatterns::launch_table(uint64_t buffer, uint64_t bytes, const Pattern& pattern,
                               bool inverted, uint64_t wrong) {
  const auto& table = std::get<TablePattern>(pattern.of);
  host_->table = table.table;
  cuda_->check(cuda_->cudaMemcpyAsync(table_memory_, host_->table.data(), host_->table.size(),
                                      cuda_copy_in_any_direction, stream_),
               "cudaMemcpyAsync");
  const auto width =
      static_cast<uint64_t>(std::countr_zero(static_cast<uint64_t>(pattern.element_bytes)));
  std::array<uint64_t, 10> arguments = {buffer,
                                        bytes >> width,
                                        width,
                                        address_of(table_memory_),
                                        table_entries - 1,
                                        table.start,
                                        static_cast<uint64_t>(table.first),
                                        inverted ? ~uint64_t{0} : 0,
                                        table.tolerance,
                                        wrong};
  start(table_, bytes >> width, arguments);
  wait_();  // the next pattern has another table
}

void GpuPatterns::start(CudaFunction kernel, uint64_t items, std::span<uint64_t> arguments) {
  const uint64_t a_block = threads * items_of_a_thread;
  const auto blocks =
      static_cast<unsigned>(std::clamp<uint64_t>((items + a_block - 1) / a_block, 1, most_blocks));
  std::array<void*, 16> pointers = {};
  for (size_t i = 0; i < arguments.size(); ++i) pointers[i] = &arguments[i];
  cuda_->check_driver(cuda_->cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream_,
                                            pointers.data(), nullptr),
                      "cuLaunchKernel");
}

}  // namespace slipway::bandwidth
