// Chooses the value that NCCL gets for a variable, in a process of the job. No allocation after
// begin(), no exceptions, nothing from the C++ library: this runs in everybody's containers.

#include <cstddef>

namespace slipway::nccl_library {

// One flat JSON object of texts, as written by nccl_env to SLIPWAY_NCCL_ENV.
class Values {
 public:
  Values() = default;
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values();

  // Input that is not such an object, including nullptr, has no values.
  void read(const char* json);
  const char* find(const char* name) const;

 private:
  char* texts_ = nullptr;  // name, null, value, null, …; ends with an empty name
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

// The variables that the user exported for the job: nccl_env passes NCCL_DEBUG on as
// SLIPWAY_NCCL_USER_NCCL_DEBUG.
class Users {
 public:
  explicit Users(const Start& start) : start_(start) {}
  const char* find(const char* name) const;

 private:
  const Start& start_;
};

// A change that the program made after its start wins; then the user's export for the job, then
// nccl_env's value; else the environment's own value, which may come from an image. nullptr: no
// value.
const char* choose(const char* name, const Start& start, const Values& ours);

}  // namespace slipway::nccl_library
