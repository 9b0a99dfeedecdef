// NCCL's log, in its format.
#include "tests/fakes/nccl/log.h"

#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <mutex>

#include "tests/fakes/cuda/gpu.h"

namespace fake {
namespace {

thread_local std::string last;

Level chosen_level() {
  const std::string text = setting("NCCL_DEBUG");
  if (::strcasecmp(text.c_str(), "VERSION") == 0) return Level::version;
  if (::strcasecmp(text.c_str(), "WARN") == 0) return Level::warn;
  if (text.empty()) return Level::none;
  return Level::info;  // INFO, ABORT, TRACE
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  std::string host = name;
  return host.substr(0, host.find('.'));
}

std::string log_path() {
  std::string path;
  const std::string pattern = setting("NCCL_DEBUG_FILE");
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      path += pattern[i];
      continue;
    }
    const char kind = pattern[++i];
    if (kind == 'h')
      path += host_name();
    else if (kind == 'p')
      path += std::to_string(::getpid());
    else if (kind == '%')
      path += '%';
    else
      path += std::string("%") + kind;
  }
  return path;
}

void write(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string path = log_path();
  std::FILE* const file = path.empty() ? stdout : std::fopen(path.c_str(), "a");
  if (file == nullptr) return;
  std::fputs(line.c_str(), file);
  if (path.empty())
    std::fflush(file);
  else
    std::fclose(file);
}

std::string who(int device) {
  return host_name() + ":" + std::to_string(::getpid()) + ":" +
         std::to_string(::syscall(SYS_gettid)) + " [" + std::to_string(device) + "] ";
}

}  // namespace

void say(Level level, int device, const std::string& text) {
  if (chosen_level() < level) return;
  if (level == Level::version) return write(text + "\n");
  write(who(device) + "NCCL INFO " + text + "\n");
}

void warn(int device, const std::string& place, const std::string& text) {
  last = text;
  if (chosen_level() < Level::warn) return;
  char now[32];
  const std::time_t seconds = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  std::strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S", &parts);
  write(std::string("\n[") + now + "] " + who(device) + place + " NCCL WARN " + text + "\n");
}

const char* last_warning() {
  return last.c_str();
}

}  // namespace fake
