// The two ends of tests/benchmark/checkpoints.py: how fast a step is copied from one node's memory
// to another's, beside raw TCP over the same link.
//
//   checkpoint_copy serve FOLDER            prints its port; `FOLDER` has a step
//   checkpoint_copy measure HOST PORT ROUNDS FOLDER
//     in turns: bytes per second and processor seconds of this end for a GiB, for raw TCP, the
//     first copy of a job, and later copies, which are written over earlier ones; each over as many
//     connections at a time as a node with two ranks has
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/fd.h"
#include "common/tcp.h"
#include "launcher/checkpoint/store.h"
#include "launcher/checkpoint/transfer.h"
#include "tests/benchmark/processor_seconds.h"

namespace {

using namespace slipway;
using namespace slipway::checkpoint;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr auto patience = std::chrono::seconds(60);
constexpr int64_t raw = 0, copy = 1;  // as the rank that is wanted
constexpr double gib = 1024.0 * 1024 * 1024;

bool not_cancelled() {
  return false;
}

void make_blocking(int socket) {
  const int flags = ::fcntl(socket, F_GETFL);
  ::fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
}

// As iperf sends.
void send_raw(int socket, int64_t size) {
  make_blocking(socket);
  const std::vector<char> bytes(piece_bytes, 'r');
  while (size > 0) {
    const ssize_t sent =
        ::send(socket, bytes.data(), std::min<size_t>(bytes.size(), static_cast<size_t>(size)), 0);
    if (sent <= 0) return;
    size -= sent;
  }
}

int serve(const fs::path& folder) {
  const auto manifest = std::make_shared<const Manifest>(read_step(folder, not_cancelled));
  const Fd listener = listen_on_tcp();
  fmt::print("{}\n", port_of(listener.get()));
  std::fflush(stdout);
  for (;;) {
    ::pollfd ready = {listener.get(), POLLIN, 0};
    ::poll(&ready, 1, -1);
    Fd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) continue;
    const int fd = socket.get();
    std::thread([&folder, manifest, fd, socket = std::move(socket)]() mutable {
      PeerChannel peer(std::move(socket), patience);
      serve_step(peer, [&](const Want& want) -> ServedStep {
        if (want.rank == copy) return {folder, manifest};
        send_raw(fd, size_of(*manifest));
        return {};  // a refusal follows: some bytes more
      });
    }).detach();
  }
}

Fd connect_to(const char* host, int port) {
  const Addresses addresses = addresses_of(host, port);
  Fd socket = new_tcp_socket();
  if (connect_within(socket.get(), addresses->ai_addr, addresses->ai_addrlen,
                     Clock::now() + patience) != 0)
    throw Error("cannot connect");
  return socket;
}

int64_t receive_raw(Fd socket, const std::string& digest) {
  const int fd = socket.get();
  PeerChannel peer(std::move(socket), patience);
  peer.send(Want{raw, 0, digest});
  make_blocking(fd);
  std::vector<char> bytes(piece_bytes);
  int64_t size = 0;
  while (true) {
    const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (got <= 0) return size;
    size += got;
  }
}

int64_t receive_copy(Fd socket, const std::string& digest, Store& store, int64_t rank) {
  PeerChannel peer(std::move(socket), patience);
  const auto arrival = store.arrival();
  auto manifest = std::make_shared<const Manifest>(fetch_step(
      peer, {copy, 0, digest}, arrival->folder(),
      [&](const Manifest& each) { return arrival->reserve(each); }, not_cancelled));
  const int64_t size = size_of(*manifest);
  store.add_copy(0, rank, 0, std::move(manifest), *arrival);
  return size;
}

void measure(const std::string& what, int streams, const std::function<int64_t(int)>& receive) {
  const double before = processor_seconds();
  const auto begin = Clock::now();
  std::atomic<int64_t> all = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < streams; ++i) threads.emplace_back([&, i] { all += receive(i); });
  for (std::thread& each : threads) each.join();
  const auto size = static_cast<double>(all);
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  fmt::print("{} {:.0f} {:.3f}\n", what, size / seconds.count(),
             (processor_seconds() - before) / (size / gib));
}

int measure_all(const char* host, int port, int rounds, const fs::path& folder) {
  const std::string digest = digest_of(read_step(folder, not_cancelled));
  const fs::path into = folder.parent_path() / "arrived";
  for (int round = 0; round < rounds; ++round) {
    for (const int streams : {1, 2}) {
      const auto name = [&](const char* what) {
        return streams == 1 ? std::string(what) : fmt::format("{}{}", what, streams);
      };
      measure(name("raw"), streams,
              [&](int) { return receive_raw(connect_to(host, port), digest); });
      Store store(into, int64_t{1} << 50);
      for (const char* what : {"first", "copy"}) {
        measure(name(what), streams,
                [&](int i) { return receive_copy(connect_to(host, port), digest, store, i); });
        store.retire({1, -1});
      }
      fs::remove_all(into);
    }
  }
  measure("read", 1, [&](int) { return size_of(read_step(folder, not_cancelled)); });
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3) return serve(arguments[2]);
  if (count == 6)
    return measure_all(arguments[2], std::atoi(arguments[3]), std::atoi(arguments[4]),
                       arguments[5]);
  return 2;
}
