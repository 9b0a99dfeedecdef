// Tests the backend tcp over real sockets; its ranks are threads of the test.
#include "nccl-tests/tcp_backend.h"

#include <thread>

#include "common/error.h"
#include "common/tcp.h"
#include "nccl-tests/measure.h"
#include "nccl-tests/mesh.h"
#include "nccl-tests/socket.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/free_port.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

// Several, since another program on this machine may take one before rank 0 does.
std::vector<int> free_ports() {
  return {free_port(), free_port(), free_port()};
}

// Runs `body` on every rank of a world, and returns the results.
template <class Body>
auto as_ranks(int size, Body body) {
  using Result = decltype(body(std::declval<Backend&>()));
  std::vector<Result> results(static_cast<size_t>(size));
  const std::vector<int> ports = free_ports();
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto backend = make_tcp_backend(
          {.rank = rank, .size = size, .host = "127.0.0.1", .ports = ports, .token = 42});
      backend->connect();
      results[static_cast<size_t>(rank)] = body(*backend);
    });
  }
  threads.clear();
  return results;
}

// Wrong elements of one size of a collective, in both placements.
int64_t wrong(Backend& backend, const Collective& collective, int64_t bytes, int root) {
  const Datatype type{"float", 4, Element::float32};
  const Shape shape = collective.shape(bytes, 4, backend.size());
  const int64_t both = std::max(shape.send_bytes, shape.receive_bytes);
  const Buffers buffers(backend, shape.send_bytes, both);
  Timing timing;
  timing.iterations = 2;
  const Case which{&collective, type,
                   collective.reduces ? std::optional(Reduction::sum) : std::nullopt,
                   collective.has_root ? std::optional(root) : std::nullopt};
  const Row row = measure(backend, which, bytes, buffers, timing);
  return row.out_of_place.wrong.value() + row.in_place.wrong.value();
}

}  // namespace

TEST_CASE("tcp: every collective is right on 1 to 5 ranks, at sizes with and without chunks") {
  for (int size = 1; size <= 5; ++size) {
    const auto results = as_ranks(size, [&](Backend& backend) {
      int64_t all = 0;
      for (const Collective& collective : all_collectives()) {
        if (!collective.works_on(size)) continue;
        for (const int64_t bytes : {0, 4, 1000, 300000, 1200004}) {
          all += wrong(backend, collective, bytes, size - 1);
        }
      }
      return all;
    });
    INFO(size << " ranks");
    for (const int64_t result : results) CHECK(result == 0);
  }
}

TEST_CASE("tcp: a small all_gather is right on any number of ranks, and from many of them") {
  for (const int size : {6, 7, 8, 13}) {
    const auto results = as_ranks(size, [](Backend& backend) {
      int64_t all = 0;
      for (const int64_t bytes : {8, 16 * 13, 8 << 10, 60 << 10})
        all += wrong(backend, collective_of(Kind::all_gather), bytes, 0);
      return all;
    });
    INFO(size << " ranks");
    for (const int64_t result : results) CHECK(result == 0);
  }
}

TEST_CASE("tcp: ranks agree on numbers and texts, as a whole and in groups") {
  const auto results = as_ranks(5, [](Backend& backend) {
    std::vector<double> found;
    found.push_back(backend.combine(Combine::sum, backend.rank()));
    found.push_back(backend.combine(Combine::max, backend.rank()));
    const auto part = backend.split(backend.rank() % 2);
    part->barrier();
    found.push_back(part->combine(Combine::sum, backend.rank()));
    found.push_back(part->size());
    found.push_back(static_cast<double>(part->share("x" + std::to_string(part->rank())).size()));
    return found;
  });
  CHECK(results[0] == std::vector<double>{10, 4, 6, 3, 3});
  CHECK(results[1] == std::vector<double>{10, 4, 4, 2, 2});
}

TEST_CASE("tcp: a group moves data without the others") {
  const auto results = as_ranks(4, [](Backend& backend) {
    const auto pair = backend.split(backend.rank() / 2);
    return wrong(*pair, collective_of(Kind::all_gather), 100000, 0);
  });
  CHECK(results == std::vector<int64_t>{0, 0, 0, 0});
}

TEST_CASE("tcp: the transport is the interface of the connections") {
  const auto results = as_ranks(2, [](Backend& backend) {
    backend.barrier();
    return backend.transport();
  });
  CHECK(results == std::vector<std::string>{"tcp lo", "tcp lo"});
}

TEST_CASE("tcp: ranks that do not connect are named") {
  CHECK_THROWS_WITH(
      Mesh({.rank = 0, .size = 3, .host = "127.0.0.1", .ports = {free_port()}, .token = 1}, 0.05),
      ContainsSubstring("2 of 3 ranks did not connect to rank 0 on ") &&
          ContainsSubstring(": 1-2"));
}

TEST_CASE("tcp: a missing rank 0 is named") {
  CHECK_THROWS_WITH(
      Mesh({.rank = 1, .size = 2, .host = "127.0.0.1", .ports = {free_port()}, .token = 1}, 0.05),
      ContainsSubstring(
          "rank 1 cannot connect to rank 0 on 127.0.0.1: cannot connect to 127.0.0.1"));
}

// Linux assigns even ephemeral ports one after another, so enough attempts get the very port that
// they try to reach.
TEST_CASE("tcp: a connection to a port without a listener does not reach itself") {
  int port = 0;
  do {
    port = free_port() & ~1;
  } while (!listen_on({port}));
  for (int i = 0; i < 20000; ++i) {
    REQUIRE_THROWS_WITH(connect_to("127.0.0.1", port, 1), ContainsSubstring("Connection refused"));
  }
}

TEST_CASE("tcp: a rank of another run is not admitted") {
  const int port = free_port();
  std::jthread client([&] {
    try {
      Mesh({.rank = 1, .size = 2, .host = "127.0.0.1", .ports = {port}, .token = 7}, 0.5);
    } catch (const Error&) {
    }
  });
  CHECK_THROWS_WITH(
      Mesh({.rank = 0, .size = 2, .host = "127.0.0.1", .ports = {port}, .token = 8}, 0.5),
      ContainsSubstring("1 of 2 ranks did not connect"));
}
