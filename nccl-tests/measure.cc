// Measuring one size: the timed runs and the checked ones, out of place and in place.
#include "nccl-tests/measure.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

constexpr size_t page_bytes = 4096;

std::byte* allocate(size_t bytes) {
  const size_t whole_pages =
      (std::max<size_t>(bytes, 1) + page_bytes - 1) / page_bytes * page_bytes;
  void* const memory = std::aligned_alloc(page_bytes, whole_pages);
  if (memory == nullptr) throw Error(fmt::format("cannot allocate {} bytes", whole_pages));
  // Touched here, so that the timed runs meet no page fault.
  std::memset(memory, 0, whole_pages);
  return static_cast<std::byte*>(memory);
}

// The buffers of one size: as many parts of them as there is room for.
class Parts {
 public:
  Parts(const Buffers& buffers, const Shape& shape, int rank, bool in_place)
      : shape_(shape), rank_(rank), in_place_(in_place), buffers_(buffers) {
    const int64_t in_receive = room(buffers.receive(), shape.receive_bytes);
    const int64_t in_send = in_place ? in_receive : room(buffers.send(), shape.send_bytes);
    count_ = std::max<int64_t>(1, std::min(in_receive, in_send));
  }

  std::span<std::byte> send(int64_t iteration) const {
    const int64_t part = iteration % count_;
    if (!in_place_) return cut(buffers_.send(), part * shape_.send_bytes, shape_.send_bytes);
    return cut(buffers_.receive(),
               part * shape_.receive_bytes + shape_.in_place_send_offset * rank_,
               shape_.send_bytes);
  }

  std::span<std::byte> receive(int64_t iteration) const {
    const int64_t offset = in_place_ ? shape_.in_place_receive_offset * rank_ : 0;
    return cut(buffers_.receive(), iteration % count_ * shape_.receive_bytes + offset,
               shape_.receive_bytes);
  }

 private:
  static int64_t room(std::span<std::byte> buffer, int64_t bytes) {
    return bytes == 0 ? 1 : static_cast<int64_t>(buffer.size()) / bytes;
  }
  static std::span<std::byte> cut(std::span<std::byte> buffer, int64_t offset, int64_t bytes) {
    assert(offset + bytes <= static_cast<int64_t>(buffer.size()));
    return buffer.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
  }

  Shape shape_;
  int rank_;
  bool in_place_;
  const Buffers& buffers_;
  int64_t count_;
};

void run(Backend& backend, const Collective& collective, const Shape& shape, const Parts& parts,
         int iterations) {
  for (int i = 0; i < iterations; ++i) {
    collective.start(backend, shape, parts.send(i).data(), parts.receive(i).data());
  }
  backend.wait();
}

Time time_runs(Backend& backend, const Collective& collective, const Shape& shape,
               const Parts& parts, int iterations) {
  run(backend, collective, shape, parts, 1);
  backend.barrier();
  const double start = backend.seconds();
  run(backend, collective, shape, parts, iterations);
  const double mine_us = (backend.seconds() - start) / iterations * 1e6;
  return {.mean_us = backend.combine(Combine::sum, mine_us) / backend.size(),
          .min_us = backend.combine(Combine::min, mine_us),
          .max_us = backend.combine(Combine::max, mine_us)};
}

Placement measure_placement(Backend& backend, const Collective& collective, const Shape& shape,
                            int64_t element_bytes, const Parts& parts,
                            const Repetitions& repetitions) {
  Placement result;
  result.time = time_runs(backend, collective, shape, parts, repetitions.iterations);
  if (result.time.mean_us > 0) {
    result.algbw_gb_per_s = static_cast<double>(shape.size_bytes) / 1e3 / result.time.mean_us;
    result.busbw_gb_per_s = result.algbw_gb_per_s * collective.busbw_factor(backend.size());
  }
  if (repetitions.check_iterations == 0) return result;

  int64_t wrong = 0, wrong_runs = 0;
  for (int i = 0; i < repetitions.check_iterations; ++i) {
    const auto seed = static_cast<uint64_t>(i);
    collective.prepare(shape, seed, backend.rank(), backend.size(), parts.send(i),
                       parts.receive(i));
    backend.barrier();
    collective.start(backend, shape, parts.send(i).data(), parts.receive(i).data());
    backend.wait();
    const int64_t now = collective.count_wrong(shape, seed, element_bytes, backend.rank(),
                                               backend.size(), parts.receive(i));
    wrong += now;
    wrong_runs += now != 0 ? 1 : 0;
    // No rank may prepare its next run while another still sends it this one's data.
    backend.barrier();
  }
  // A double counts exactly up to 2^53 elements.
  result.wrong = static_cast<int64_t>(backend.combine(Combine::sum, static_cast<double>(wrong)));
  result.wrong_runs =
      static_cast<int64_t>(backend.combine(Combine::sum, static_cast<double>(wrong_runs)));
  return result;
}

}  // namespace

void Buffers::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

Buffers::Buffers(int64_t send_bytes, int64_t receive_bytes)
    : send_bytes_(static_cast<size_t>(send_bytes)),
      receive_bytes_(static_cast<size_t>(receive_bytes)),
      send_(allocate(send_bytes_)),
      receive_(allocate(receive_bytes_)) {}

void warm_up(Backend& backend, const Collective& collective, const Shape& shape,
             const Buffers& buffers, int iterations) {
  run(backend, collective, shape, Parts(buffers, shape, backend.rank(), false), iterations);
}

Row measure(Backend& backend, const Collective& collective, Datatype datatype,
            int64_t requested_bytes, const Buffers& buffers, const Repetitions& repetitions) {
  Row row;
  row.requested_bytes = requested_bytes;
  row.shape = collective.shape(requested_bytes, datatype.bytes, backend.size());
  row.datatype = datatype;
  const auto placement = [&](bool in_place) {
    return measure_placement(backend, collective, row.shape, datatype.bytes,
                             Parts(buffers, row.shape, backend.rank(), in_place), repetitions);
  };
  row.out_of_place = placement(false);
  row.in_place = placement(true);
  return row;
}

}  // namespace slipway::bandwidth
