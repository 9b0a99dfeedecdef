// The collectives: their buffer sizes, and the columns of nccl-tests' table that apply to each.
#include "nccl-tests/collective.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "common/collective_names.h"
#include "nccl-tests/traffic.h"

namespace slipway::bandwidth {
namespace {

constexpr int64_t block_granule_bytes = 16;

constexpr std::array<Collective, collective_names.size()> collectives = {{
    {.kind = Kind::all_gather,
     .name = "all_gather",
     .receives_all = true,
     .divides = true,
     .bus = Bus::others},
    {.kind = Kind::all_reduce, .name = "all_reduce", .reduces = true, .bus = Bus::reduced},
    {.kind = Kind::alltoall,
     .name = "alltoall",
     .sends_all = true,
     .receives_all = true,
     .divides = true,
     .bus = Bus::others},
    {.kind = Kind::broadcast, .name = "broadcast", .has_root = true},
    {.kind = Kind::gather,
     .name = "gather",
     .receives_all = true,
     .divides = true,
     .has_root = true,
     .bus = Bus::others},
    {.kind = Kind::reduce, .name = "reduce", .reduces = true, .has_root = true},
    {.kind = Kind::reduce_scatter,
     .name = "reduce_scatter",
     .sends_all = true,
     .divides = true,
     .reduces = true,
     .bus = Bus::others},
    {.kind = Kind::scatter,
     .name = "scatter",
     .sends_all = true,
     .divides = true,
     .has_root = true,
     .bus = Bus::others},
    // nccl-tests prints a reduction for sendrecv, too, although it reduces nothing.
    {.kind = Kind::sendrecv, .name = "sendrecv"},
    {.kind = Kind::alltoallv,
     .name = "alltoallv",
     .sends_all = true,
     .receives_all = true,
     .divides = true,
     .bus = Bus::others},
    // An all_gather that doubles what a rank has in each of its steps.
    {.kind = Kind::hypercube,
     .name = "hypercube",
     .receives_all = true,
     .divides = true,
     .bus = Bus::received},
}};
static_assert(std::ranges::equal(collectives, collective_names, {}, &Collective::name));

}  // namespace

Shape Collective::shape(int64_t bytes, int64_t element_bytes, int ranks) const {
  int64_t count = bytes / element_bytes;
  if (divides) {
    const int64_t granule = block_granule_bytes / element_bytes;
    count = count / ranks / granule * granule;
  }
  const int64_t block = count * element_bytes;
  if (kind == Kind::alltoallv) {
    const Traffic::Total most = traffic().largest(ranks, block * ranks);
    return {.send_bytes = most.sent_bytes,
            .receive_bytes = most.received_bytes,
            .size_bytes = std::max(most.sent_bytes, most.received_bytes),
            .count = traffic().matrix_ranks > 0 ? 0 : count};
  }
  const int64_t send = sends_all ? block * ranks : block;
  const int64_t receive = receives_all ? block * ranks : block;
  return {.send_bytes = send,
          .receive_bytes = receive,
          .size_bytes = std::max(send, receive),
          .count = count,
          .in_place_send_offset = send < receive ? block : 0,
          .in_place_receive_offset = receive < send ? block : 0};
}

double Collective::algbw_factor(int ranks) const {
  return bus == Bus::received ? static_cast<double>(ranks - 1) / ranks : 1;
}

bool Collective::works_on(int ranks) const {
  return kind != Kind::hypercube || std::has_single_bit(static_cast<unsigned>(ranks));
}

double Collective::busbw_factor(int ranks) const {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (bus) {
    case Bus::all:
    case Bus::received:
      return 1;
    case Bus::others:
      return others;
    case Bus::reduced:
      return 2 * others;
  }
  return 0;
}

std::span<const Collective> all_collectives() {
  return collectives;
}

const Collective& collective_of(Kind kind) {
  return *std::ranges::find(collectives, kind, &Collective::kind);
}

const Collective* find_collective(std::string_view name) {
  // Many builds of nccl-tests name the programs with MPI so.
  constexpr std::string_view with_mpi = "_mpi", suffix = "_perf";
  if (name.ends_with("_perf_mpi")) name.remove_suffix(with_mpi.size());
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  const auto found = std::ranges::find(collectives, name, &Collective::name);
  return found == collectives.end() ? nullptr : &*found;
}

}  // namespace slipway::bandwidth
