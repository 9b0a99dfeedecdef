#include "nccl-tests/checked_run.h"

#include <vector>

#include "nccl-tests/traffic.h"

#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

constexpr int ranks = 3;

// All ranks' buffers, and what a collective must do to them by its definition.
struct World {
  World(Kind kind, std::string_view type, Reduction reduction, int root)
      : collective(collective_of(kind)), datatype(parse_datatypes(type).front()) {
    const Shape shape = collective.shape(960, datatype.bytes, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      runs.push_back({collective, shape, datatype, reduction, root, 5, rank, ranks});
      sends.emplace_back(static_cast<size_t>(shape.send_bytes));
      receives.emplace_back(static_cast<size_t>(shape.receive_bytes));
      runs.back().prepare(patterns, sends.back(), receives.back());
    }
    block = static_cast<size_t>(shape.count * datatype.bytes);
  }

  void copy(int from, size_t from_block, int to, size_t to_block) {
    std::copy_n(sends[static_cast<size_t>(from)].begin() + static_cast<long>(from_block * block),
                block,
                receives[static_cast<size_t>(to)].begin() + static_cast<long>(to_block * block));
  }

  // What rank `from` sends to rank `to` in alltoallv, whose blocks differ in size.
  void send_share(int from, int to) {
    const auto total = static_cast<int64_t>(block) * ranks;
    int64_t sent_before = 0, received_before = 0;
    for (int rank = 0; rank < to; ++rank) sent_before += traffic().bytes(from, rank, ranks, total);
    for (int rank = 0; rank < from; ++rank)
      received_before += traffic().bytes(rank, to, ranks, total);
    std::copy_n(sends[static_cast<size_t>(from)].begin() + sent_before,
                traffic().bytes(from, to, ranks, total),
                receives[static_cast<size_t>(to)].begin() + received_before);
  }

  // The reduction of every rank's block `from` to rank `to`.
  void reduce(size_t from_block, int to) {
    copy(0, from_block, to, 0);
    const Reduction reduction = runs[0].reduction;
    auto& result = receives[static_cast<size_t>(to)];
    for (int rank = 1; rank < ranks; ++rank) {
      reduce_into(datatype, reduction, sends[static_cast<size_t>(rank)].data() + from_block * block,
                  result.data(), static_cast<int64_t>(block) / datatype.bytes);
    }
    if (reduction == Reduction::avg) {
      divide(datatype, result.data(), static_cast<int64_t>(block) / datatype.bytes, ranks);
    }
  }

  void perform() {
    for (int a = 0; a < ranks; ++a) {
      const auto rank = static_cast<size_t>(a);
      for (int b = 0; b < ranks; ++b) {
        const auto other = static_cast<size_t>(b);
        if (collective.kind == Kind::all_gather || collective.kind == Kind::hypercube)
          copy(a, 0, b, rank);
        if (collective.kind == Kind::alltoallv) send_share(a, b);
        if (collective.kind == Kind::alltoall) copy(a, other, b, rank);
        if (collective.kind == Kind::broadcast && a == runs[0].root) copy(a, 0, b, 0);
        if (collective.kind == Kind::gather && b == runs[0].root) copy(a, 0, b, rank);
        if (collective.kind == Kind::scatter && a == runs[0].root) copy(a, other, b, 0);
      }
      if (collective.kind == Kind::sendrecv) copy(a, 0, (a + 1) % ranks, 0);
      if (collective.kind == Kind::all_reduce) reduce(0, a);
      if (collective.kind == Kind::reduce && a == runs[0].root) reduce(0, a);
      if (collective.kind == Kind::reduce_scatter) reduce(rank, a);
    }
  }

  int64_t wrong() {
    int64_t all = 0;
    for (size_t rank = 0; rank < runs.size(); ++rank)
      all += runs[rank].count_wrong(patterns, receives[rank]);
    return all;
  }

  // Elements that have an expected value.
  int64_t judged() const {
    const bool root_alone = collective.kind == Kind::gather || collective.kind == Kind::reduce;
    return static_cast<int64_t>(receives[0].size()) / datatype.bytes * (root_alone ? 1 : ranks);
  }

  HostPatterns patterns;
  const Collective& collective;
  Datatype datatype;
  size_t block = 0;
  std::vector<CheckedRun> runs;
  std::vector<std::vector<std::byte>> sends, receives;
};

}  // namespace

TEST_CASE(
    "checked run: a correct collective has no wrong element, and one without effect has only wrong "
    "ones") {
  for (const Collective& collective : all_collectives()) {
    for (int root = 0; root < ranks; ++root) {
      World world(collective.kind, "float", Reduction::sum, root);
      INFO(collective.name);
      CHECK(world.wrong() == world.judged());
      world.perform();
      CHECK(world.wrong() == 0);
    }
  }
}

TEST_CASE("checked run: every reduction of every type has the expected result") {
  for (const Datatype& type : all_datatypes()) {
    for (const Reduction reduction : parse_reductions("all")) {
      if (reduction == Reduction::mulsum) continue;  // the ranks of this test do not multiply
      World world(Kind::all_reduce, type.name, reduction, 0);
      INFO(type.name << " " << to_string(reduction));
      world.perform();
      CHECK(world.wrong() == 0);
    }
  }
}

TEST_CASE("checked run: a rank missing from a sum is noticed") {
  World world(Kind::all_reduce, "float", Reduction::sum, 0);
  world.perform();
  world.copy(0, 0, 1, 0);  // rank 1 has rank 0's numbers instead of the sum
  CHECK(world.wrong() > world.judged() / ranks * 9 / 10);
}
