// Keeps what may be in use until the process ends, or is not worth taking apart.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace slipway {

// Never deletes the object. It stays reachable, so that a search for leaks finds none.
template <class T>
void keep_to_end(std::unique_ptr<T> object) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<T>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(object));
}

}  // namespace slipway
