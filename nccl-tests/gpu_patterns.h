// Patterns in the memory of a GPU: written and compared there, so no data is copied to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "nccl-tests/cuda_library.h"
#include "nccl-tests/pattern.h"

namespace slipway::bandwidth {

class GpuPatterns final : public Patterns {
 public:
  // Kernels run on `stream`; `wait` waits for it. Throws Error if the driver refuses the kernels.
  GpuPatterns(std::shared_ptr<const CudaLibrary> cuda, CudaStream stream,
              std::function<void()> wait);
  ~GpuPatterns() override;
  GpuPatterns(const GpuPatterns&) = delete;
  GpuPatterns& operator=(const GpuPatterns&) = delete;

  void fill(std::span<std::byte> buffer, const Pattern& pattern) override;
  void fill(std::span<std::byte> buffer, Inverted pattern) override;
  void check(std::span<const std::byte> buffer, const Pattern& pattern) override;
  int64_t take_wrong() override;

 private:
  // What the stream copies from and to. On GPUs that read and write the host's pages themselves, a
  // copy may continue after the call that began it has returned.
  struct HostMemory {
    int64_t wrong = 0;
    std::vector<std::byte> table;
  };

  void launch(const std::byte* buffer, size_t bytes, const Pattern& pattern, bool inverted,
              void* wrong);
  void launch_words(uint64_t buffer, uint64_t bytes, const Pattern& pattern, bool inverted,
                    uint64_t wrong);
  void launch_table(uint64_t buffer, uint64_t bytes, const Pattern& pattern, bool inverted,
                    uint64_t wrong);
  void start(CudaFunction kernel, uint64_t items, std::span<uint64_t> arguments);
  void reset();

  std::shared_ptr<const CudaLibrary> cuda_;
  CudaStream stream_;
  std::function<void()> wait_;
  std::unique_ptr<HostMemory> host_ = std::make_unique<HostMemory>();
  CudaModule module_ = nullptr;
  CudaFunction words_ = nullptr, table_ = nullptr;
  void* sum_ = nullptr;  // of wrong elements, on the GPU
  void* table_memory_ = nullptr;
};

}  // namespace slipway::bandwidth
