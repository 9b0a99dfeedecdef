// Which value NCCL gets for a variable, in a process of the job. No allocation beyond begin(), no
// exception, nothing of the C++ library: this runs in everybody's container.
#pragma once

#include <cstddef>

namespace slipway::nccl_library {

// One flat JSON object of texts, as nccl_env writes SLIPWAY_NCCL_ENV.
class Values {
 public:
  Values() = default;
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values();

  // Anything but such an object, nullptr too, has no values.
  void read(const char* json);
  const char* find(const char* name) const;

 private:
  char* texts_ = nullptr;  // name, null, value, null, …; an empty name ends it
};

// The environment as the process was started with it: "NAME=value", null, …
class Start {
 public:
  Start() = default;
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  ~Start();

  void read(const char* path = "/proc/self/environ");
  const char* find(const char* name) const;
  bool known() const { return texts_ != nullptr; }

 private:
  char* texts_ = nullptr;
  size_t size_ = 0;
};

// The variables that the user exported for the job: nccl_env hands NCCL_DEBUG on as
// SLIPWAY_NCCL_USER_NCCL_DEBUG.
class Users {
 public:
  explicit Users(const Start& start) : start_(start) {}
  const char* find(const char* name) const;

 private:
  const Start& start_;
};

// What the program changed after its start wins; then what the user exported for the job, then what
// nccl_env set; else the environment's own value, which an image may have put there. nullptr: no
// value.
const char* choose(const char* name, const Start& start, const Values& ours);

}  // namespace slipway::nccl_library
