// What the kernel has said.
#include "launcher/job/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/text.h"

namespace slipway::job {
namespace {

constexpr size_t most_lines = 20;

// NVIDIA's Xid-Catalog.xlsx, column "immediate action": RESET_GPU, RESTART_BM, RESTART_VM,
// CHECK_MECHANICALS, CONTACT_SUPPORT, and 48 and 74, whose workflows end in one of these. What it
// has under RESTART_APP and IGNORE, among them 13, 31, 43, 63 and 94, is no reason to leave a node.
constexpr std::array hardware_xids = {46,  48,  54,  56,  57,  58,  62,  64,  74,  79,  81, 95,
                                      109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158};

}  // namespace

bool matters(const std::string& line) {
  constexpr std::array words = {"NVRM: Xid",
                                "Out of memory: Killed process",
                                "Memory cgroup out of memory",
                                "Hardware Error",
                                "Uncorrected error",
                                "fallen off the bus"};
  return std::ranges::any_of(words, [&](const char* word) { return line.find(word) != line.npos; });
}

int xid_of(const std::string& line) {
  int number = 0;
  const size_t at = line.find("NVRM: Xid (");
  if (at == line.npos) return 0;
  return std::sscanf(line.c_str() + at, "NVRM: Xid (%*[^)]): %d", &number) == 1 ? number : 0;
}

bool is_hardware_xid(int number) {
  return std::ranges::find(hardware_xids, number) != hardware_xids.end();
}

KernelLog::KernelLog() : fd_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  skip();
}

void KernelLog::skip() {
  if (fd_) ::lseek(fd_.get(), 0, SEEK_END);
}

std::vector<std::string> KernelLog::lines() {
  std::vector<std::string> found;
  std::array<char, 8192> record;
  // One record a read, or several of a simulated log: "6,1234,5678,-;text". EPIPE: some were
  // overwritten before they were read.
  for (int i = 0; fd_ && i < 100'000; ++i) {
    const ssize_t got = ::read(fd_.get(), record.data(), record.size());
    if (got < 0 && errno == EPIPE) continue;
    if (got <= 0) break;
    for (const std::string& line : split({record.data(), static_cast<size_t>(got)}, '\n')) {
      const size_t begin = line.find(';');
      const bool goes_on = !line.empty() && line.front() == ' ';  // properties of the one before
      if (begin == line.npos || goes_on) continue;
      if (matters(line)) found.push_back(line.substr(begin + 1));
    }
  }
  if (found.size() > most_lines) found.erase(found.begin(), found.end() - most_lines);
  return found;
}

}  // namespace slipway::job
