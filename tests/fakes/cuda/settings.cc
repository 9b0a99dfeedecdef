// Settings from the environment, counters, and ordered failures.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "tests/fakes/cuda/gpu.h"

namespace fake {
namespace {

// Never destroyed: threads of streams may still count while the process ends.
struct Counters {
  std::mutex mutex;
  std::map<std::string, int64_t> values;
};
Counters& counters() {
  static Counters* const all = new Counters;
  return *all;
}

void write_counters() {
  const std::string path = setting("FAKE_CUDA_COUNTERS");
  if (path.empty()) return;
  std::FILE* const file = std::fopen((path + "." + std::to_string(::getpid())).c_str(), "w");
  if (file == nullptr) return;
  const std::lock_guard lock(counters().mutex);
  for (const auto& [name, value] : counters().values)
    std::fprintf(file, "%s %lld\n", name.c_str(), static_cast<long long>(value));
  std::fclose(file);
}

[[maybe_unused]] const int at_exit = std::atexit(write_counters);

}  // namespace

std::string setting(const char* name, const std::string& otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : text;
}

int64_t setting(const char* name, int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoll(text, nullptr, 0);
}

void count(const char* name, int64_t amount) {
  const std::lock_guard lock(counters().mutex);
  counters().values[name] += amount;
}

int64_t counted(const char* name) {
  const std::lock_guard lock(counters().mutex);
  const auto found = counters().values.find(name);
  return found == counters().values.end() ? 0 : found->second;
}

int ordered_failure(const char* function) {
  const std::string orders = "," + setting("FAKE_CUDA_FAIL");
  const std::string wanted = std::string(",") + function + "=";
  const size_t at = orders.find(wanted);
  return at == std::string::npos ? int{ok} : std::atoi(orders.c_str() + at + wanted.size());
}

}  // namespace fake
