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
  Parts(const Buffers& buffers, const Shape& shape, int rank, bool in_place) {
    if (in_place) {  // both lie in the receive buffer, the smaller one within the larger
      const int64_t both = std::max(shape.send_bytes, shape.receive_bytes);
      send_ = {buffers.receive(), shape.send_bytes, both, shape.in_place_send_offset * rank};
      receive_ = {buffers.receive(), shape.receive_bytes, both,
                  shape.in_place_receive_offset * rank};
    } else {
      send_ = {buffers.send(), shape.send_bytes, shape.send_bytes, 0};
      receive_ = {buffers.receive(), shape.receive_bytes, shape.receive_bytes, 0};
    }
    count_ = std::max<int64_t>(1, std::min(send_.room(), receive_.room()));
  }

  std::span<std::byte> send(int64_t iteration) const { return send_.part(iteration % count_); }
  std::span<std::byte> receive(int64_t iteration) const {
    return receive_.part(iteration % count_);
  }

 private:
  struct Side {
    std::span<std::byte> buffer;
    int64_t bytes = 0;   // of one part
    int64_t stride = 0;  // from part to part
    int64_t offset = 0;  // of the first

    int64_t room() const { return stride == 0 ? 1 : static_cast<int64_t>(buffer.size()) / stride; }
    std::span<std::byte> part(int64_t index) const {
      const int64_t at = offset + index * stride;
      assert(at + bytes <= static_cast<int64_t>(buffer.size()));
      return buffer.subspan(static_cast<size_t>(at), static_cast<size_t>(bytes));
    }
  };

  Side send_;
  Side receive_;
  int64_t count_ = 1;
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
