// How the ranks meet, publish and fetch: files in /dev/shm, unlinked as soon as all have them open.
#include "tests/fakes/nccl/world.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/nccl/elements.h"
#include "tests/fakes/nccl/world_layout.h"

namespace fake {
namespace {

std::string place(const std::string& id, int rank = -1) {
  return "/dev/shm/fake-nccl-" + id + (rank < 0 ? "" : "-" + std::to_string(rank));
}

int open_shared(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot open " + path);
  return file;
}

}  // namespace

World::RankSlot& World::slot(int rank_) const {
  return reinterpret_cast<RankSlot*>(shared_ + sizeof(Head))[rank_];
}

World::PairSlot& World::pair(int from, int to) const {
  auto* const pairs = reinterpret_cast<PairSlot*>(shared_ + sizeof(Head) +
                                                  sizeof(RankSlot) * static_cast<size_t>(size));
  return pairs[static_cast<size_t>(from) * static_cast<size_t>(size) + static_cast<size_t>(to)];
}

World::World(const std::string& id, int own_rank, int own_size, int own_device, int in_world)
    : rank(own_rank), size(own_size), device(own_device), world_rank(in_world), id_(id) {
  const auto n = static_cast<size_t>(size);
  shared_bytes_ = sizeof(Head) + n * sizeof(RankSlot) + n * n * sizeof(PairSlot);
  const int file = open_shared(place(id));
  if (::ftruncate(file, static_cast<off_t>(shared_bytes_)) != 0)
    throw std::runtime_error("cannot size " + place(id));
  void* const at = ::mmap(nullptr, shared_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (at == MAP_FAILED) throw std::runtime_error("cannot map " + place(id));
  shared_ = static_cast<std::byte*>(at);
  for (int other = 0; other < size; ++other) boxes_.push_back(open_shared(place(id, other)));
  sent_.resize(n);
  taken_.resize(n);
  auto& head = *reinterpret_cast<Head*>(shared_);
  ++head.attached;
  wait([&] { return head.attached >= static_cast<uint64_t>(size); });
  ::unlink(place(id, rank).c_str());
  if (rank == 0) ::unlink(place(id).c_str());
}

World::~World() {
  for (const int box : boxes_) ::close(box);
  ::munmap(shared_, shared_bytes_);
}

bool World::wait(const std::function<bool()>& there) const {
  for (int tries = 0; !there(); ++tries) {
    if (aborted_) return false;
    if (tries < 20)
      ::sched_yield();
    else
      ::usleep(tries < 200 ? 20 : 500);
  }
  return true;
}

void World::publish(const std::byte* data, size_t bytes, size_t at) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t put = ::pwrite(boxes_[static_cast<size_t>(rank)], data + done, bytes - done,
                                 static_cast<off_t>(at + done));
    if (put <= 0) throw std::runtime_error("/dev/shm is full");
    done += static_cast<size_t>(put);
  }
}

void World::fetch(int from, size_t at, std::byte* to, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(boxes_[static_cast<size_t>(from)], to + done, bytes - done,
                                static_cast<off_t>(at + done));
    if (got <= 0) throw std::runtime_error("a rank has published less than was expected");
    done += static_cast<size_t>(got);
  }
}

// Rank by rank, rounded after each: the result that the worst order would give.
void World::fetch_reduced(const Operation& op, size_t at, std::byte* to, size_t bytes) const {
  constexpr size_t piece_bytes = 64 << 10;
  constexpr int op_avg = 4;
  const auto element = static_cast<size_t>(bytes_of(op.type));
  const bool scales = op.op == op_avg && !is_whole(op.type);
  std::vector<std::byte> piece(std::min(bytes, piece_bytes));
  for (size_t done = 0; done < bytes; done += piece.size()) {
    const size_t now = std::min(piece.size(), bytes - done), count = now / element;
    for (int from = 0; from < size; ++from) {
      std::byte* const target = from == 0 ? to + done : piece.data();
      fetch(from, at + done, target, now);
      if (op.multiplies) {
        std::byte scalar[8] = {};
        std::copy_n(slot(from).scalar, sizeof scalar, scalar);
        multiply(op.type, target, count, scalar);
      }
      if (scales) scale_by_inverse(op.type, target, count, size);
      if (from > 0)
        combine(op.type, op.op < op_avg ? op.op : int{op_sum}, target, to + done, count);
    }
    if (op.op == op_avg && !scales) divide(op.type, to + done, count, size);
  }
}

}  // namespace fake
