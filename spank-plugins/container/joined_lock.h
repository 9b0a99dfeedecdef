// Tells a container's keeper whether other steps are in the container: each has a shared lock of a
// file in the container's folder until it ends.
#pragma once

#include <filesystem>

#include "common/fd.h"

namespace slipway::container {

class JoinedLock {
 public:
  JoinedLock() = default;
  // Opens the file, made if it is missing. Throws Error.
  explicit JoinedLock(const std::filesystem::path& file);

  // Of a step that joins. False if the keeper is ending the container.
  bool join();
  // Of a step that ends. Returns whether it is up to the keeper now to end: the step that started
  // the container has ended, and no other is in it.
  bool leave();

  // Of the step that started the container.
  bool has_steps() const;

  // Of anybody: whether steps are in the container, and it does not end.
  bool is_joined() const;

  // Of the keeper: a container begins; returns when the last step has left.
  void begin();
  void wait_for_steps();

 private:
  Fd file_;
};

}  // namespace slipway::container
