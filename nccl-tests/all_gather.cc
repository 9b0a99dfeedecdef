// all_gather: every rank gives a block and receives the blocks of all.
#include "nccl-tests/collective.h"
#include "nccl-tests/data.h"

namespace slipway::bandwidth {
namespace {

// A rank's block is rounded down to 16 bytes, so that blocks stay aligned in the gathered buffer.
constexpr int64_t block_granule_bytes = 16;

class AllGather final : public Collective {
 public:
  std::string_view name() const override { return "all_gather"; }
  std::string_view reduction() const override { return "none"; }
  int root() const override { return -1; }

  Shape shape(int64_t bytes, int64_t element_bytes, int ranks) const override {
    const int64_t elements_per_granule = block_granule_bytes / element_bytes;
    const int64_t elements = bytes / element_bytes / ranks;
    const int64_t count = elements / elements_per_granule * elements_per_granule;
    const int64_t block = count * element_bytes;
    return {.send_bytes = block,
            .receive_bytes = block * ranks,
            .size_bytes = block * ranks,
            .count = count,
            .in_place_send_offset = block,
            .in_place_receive_offset = 0};
  }

  double busbw_factor(int ranks) const override { return static_cast<double>(ranks - 1) / ranks; }

  void start(Backend& backend, const Shape& shape, const std::byte* send,
             std::byte* receive) const override {
    backend.all_gather(send, receive, shape.send_bytes);
  }

  void prepare(const Shape& shape, uint64_t seed, int rank, int ranks, std::span<std::byte> send,
               std::span<std::byte> receive) const override {
    for (int source = 0; source < ranks; ++source) {
      poison(block(receive, shape, source), seed, source);
    }
    fill(send, seed, rank);
  }

  int64_t count_wrong(const Shape& shape, uint64_t seed, int64_t element_bytes, int /*rank*/,
                      int ranks, std::span<const std::byte> receive) const override {
    int64_t wrong = 0;
    for (int source = 0; source < ranks; ++source) {
      wrong += count_mismatches(block(receive, shape, source), element_bytes, seed, source);
    }
    return wrong;
  }

 private:
  template <class Byte>
  static std::span<Byte> block(std::span<Byte> receive, const Shape& shape, int source) {
    const auto bytes = static_cast<size_t>(shape.send_bytes);
    return receive.subspan(bytes * static_cast<size_t>(source), bytes);
  }
};

}  // namespace

const Collective& all_gather() {
  static const AllGather instance;
  return instance;
}

}  // namespace slipway::bandwidth
