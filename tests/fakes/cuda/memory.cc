// The memory of the GPUs: each allocation is mapped twice, once without access for the program, and
// once for the stand-ins.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "tests/fakes/cuda/gpu.h"

namespace fake {
namespace {

struct Allocation {
  size_t bytes = 0;
  std::byte* mirror = nullptr;
  int device = 0;
};

struct Memory {
  std::mutex mutex;
  std::map<std::byte*, Allocation> all;  // by the pointer that the program has
  std::map<int, size_t> used;            // by device
};
Memory& memory() {
  static Memory* const only = new Memory;
  return *only;
}

thread_local int device_of_thread = 0;
thread_local int context_of_thread = -1;

size_t capacity() {
  return static_cast<size_t>(setting("FAKE_CUDA_MEMORY", int64_t{80} << 30));
}

// What a new allocation contains: nobody may rely on zeros.
constexpr size_t dirty_bytes = 1 << 20;
constexpr int dirt = 0xcd;

int map_twice(size_t bytes, std::byte*& pointer, std::byte*& mirror) {
  const int file = ::memfd_create("fake-gpu", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return out_of_memory;
  void* const outside = ::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0);
  void* const inside = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (outside == MAP_FAILED || inside == MAP_FAILED) return out_of_memory;
  pointer = static_cast<std::byte*>(outside);
  mirror = static_cast<std::byte*>(inside);
  std::memset(mirror, dirt, std::min(bytes, dirty_bytes));
  return ok;
}

}  // namespace

int devices() {
  return static_cast<int>(setting("FAKE_CUDA_DEVICES", int64_t{8}));
}

int current_device() {
  return device_of_thread;
}

int set_device(int device) {
  if (device < 0 || device >= devices()) return invalid_device;
  device_of_thread = context_of_thread = device;
  return ok;
}

int current_context() {
  return context_of_thread;
}

int set_context(int device) {
  if (device >= devices()) return invalid_device;
  context_of_thread = device;
  if (device >= 0) device_of_thread = device;
  return ok;
}

int allocate(void** pointer, size_t bytes) {
  if (pointer == nullptr) return invalid_value;
  *pointer = nullptr;
  if (bytes == 0) return ok;
  const std::lock_guard lock(memory().mutex);
  size_t& used = memory().used[device_of_thread];
  if (bytes > capacity() - std::min(used, capacity())) return out_of_memory;
  std::byte *outside = nullptr, *inside = nullptr;
  if (const int status = map_twice(bytes, outside, inside); status != ok) return status;
  memory().all[outside] = {bytes, inside, device_of_thread};
  used += bytes;
  *pointer = outside;
  return ok;
}

int release(void* pointer) {
  if (pointer == nullptr) return ok;
  const std::lock_guard lock(memory().mutex);
  const auto found = memory().all.find(static_cast<std::byte*>(pointer));
  if (found == memory().all.end()) return invalid_value;
  ::munmap(pointer, found->second.bytes);
  ::munmap(found->second.mirror, found->second.bytes);
  memory().used[found->second.device] -= found->second.bytes;
  memory().all.erase(found);
  return ok;
}

void release_all(int device) {
  std::vector<void*> found;
  {
    const std::lock_guard lock(memory().mutex);
    for (const auto& [pointer, allocation] : memory().all) {
      if (allocation.device == device) found.push_back(pointer);
    }
  }
  for (void* const pointer : found) release(pointer);
}

bool is_on_device(const void* pointer) {
  return reach(pointer, 0) != nullptr;
}

void memory_left(size_t* left, size_t* total) {
  const std::lock_guard lock(memory().mutex);
  *total = capacity();
  *left = capacity() - std::min(memory().used[device_of_thread], capacity());
}

std::byte* reach(const void* pointer, size_t bytes) {
  auto* const at = static_cast<std::byte*>(const_cast<void*>(pointer));
  const std::lock_guard lock(memory().mutex);
  auto after = memory().all.upper_bound(at);
  if (after == memory().all.begin()) return nullptr;
  const auto& [base, allocation] = *--after;
  const auto offset = static_cast<size_t>(at - base);
  if (offset > allocation.bytes || bytes > allocation.bytes - offset) return nullptr;
  return allocation.mirror + offset;
}

std::byte* reach_any(const void* pointer, size_t bytes) {
  std::byte* const inside = reach(pointer, bytes);
  return inside != nullptr ? inside : static_cast<std::byte*>(const_cast<void*>(pointer));
}

}  // namespace fake
