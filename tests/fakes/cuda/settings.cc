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

int ordered_failure(const char* variable, const std::string& function) {
  const std::string orders = "," + setting(variable);
  const std::string device = "@" + std::to_string(current_device());
  const std::string nth = "#" + std::to_string(counted(function.c_str()));
  for (const std::string& name :
       {function, function + device, function + nth, function + device + nth}) {
    const std::string wanted = "," + name + "=";
    const size_t at = orders.find(wanted);
    if (at == std::string::npos) continue;
    const char* const order = orders.c_str() + at + wanted.size();
    while (std::strncmp(order, "hang", 4) == 0) ::pause();
    return std::atoi(order);
  }
  return ok;
}

void corrupt(const char* name, int device, void* place, size_t bytes) {
  const std::string orders = "," + setting("FAKE_CUDA_CORRUPT") + ",";
  const std::string wanted = std::string(name) + "@" + std::to_string(device);
  const size_t at = orders.find("," + wanted);
  if (at == std::string::npos || bytes == 0) return;
  const char* const rest = orders.c_str() + at + 1 + wanted.size();
  count(("ordered " + wanted).c_str());
  const bool is_it = *rest == ',' || (*rest == ':' && std::atoll(rest + 1) ==
                                                          counted(("ordered " + wanted).c_str()));
  if (is_it) reach_any(place, bytes)[bytes / 2] ^= std::byte{0x10};
}

namespace {

struct Clocks {
  std::mutex mutex;
  std::map<int, double> ns;  // by device
};
Clocks& clocks() {
  static Clocks* const all = new Clocks;
  return *all;
}

double slowness(int device) {
  const std::string orders = "," + setting("FAKE_CUDA_SLOW");
  const std::string wanted = "," + std::to_string(device) + ":";
  const size_t at = orders.find(wanted);
  return at == std::string::npos ? 1 : std::atof(orders.c_str() + at + wanted.size());
}

}  // namespace

void pass_time(int device, uint64_t instructions) {
  constexpr double ns_of_one = 10;
  const std::lock_guard lock(clocks().mutex);
  clocks().ns[device] += ns_of_one * slowness(device) * static_cast<double>(instructions);
}

uint64_t time_on(int device) {
  const std::lock_guard lock(clocks().mutex);
  return static_cast<uint64_t>(clocks().ns[device]);
}

}  // namespace fake
