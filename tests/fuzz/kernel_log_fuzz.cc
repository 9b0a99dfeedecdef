// Fuzz target: the kernel log reader. Whatever it reads, results have the form of what they are;
// and whatever a user names a program or a file, the kernel's report of its crash is not a fault.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "launcher/health/kernel_words.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway;
using fuzz::require;

const health::Policy& policy() {
  static const health::Policy shipped = [] {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    return health::load_policy(SLIPWAY_BLUEPRINTS "/catalogue", {}, sources, diagnostics);
  }();
  return shipped;
}

// Escapes text like the kernel's printk: msg_add_ext_text.
std::string escaped(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    out += c < ' ' || c >= 127 || c == '\\' ? fmt::format("\\x{:02x}", c) : std::string(1, c);
  }
  return out;
}

void check(const health::KernelRecord& record) {
  const auto xid = health::xid_of(record);
  const auto* const pattern = health::pattern_of(record, policy());
  require(!xid || record.level <= health::Level::warning, "an Xid is a warning: " + record.text);
  require(!xid || (xid->number > 0 && xid->number < 10'000 && xid->bus.ends_with(".0")) ||
              record.text.find('.') != std::string::npos,
          "an Xid has a number and an address: " + record.text);
  require(pattern == nullptr || record.level <= pattern->level,
          "a pattern has a level: " + record.text);
  require(pattern == nullptr || !health::begins_with_a_program(record, policy()),
          "a program must not match a pattern: " + record.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(data, data + size);
  for (const health::KernelRecord& record : health::parse_kernel_log(text, -1)) check(record);
  std::replace(text.begin(), text.end(), '\0', ' ');  // a name ends there
  const size_t cut = std::min<size_t>(text.size(), 15);
  const std::string name = escaped(text.substr(0, cut)), file = escaped(text.substr(cut));
  for (const char* form : {"{}[4381]: segfault at 0 ip 1 sp 2 error 6 in {}[1,2]",
                           "{} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0{}",
                           "{}: page allocation failure: order:9, mode:0xcc0, cpuset={}",
                           "{} (4381): {}", "process '{}{}' started with executable stack",
                           "audit: type=1326 comm=\"{}\" exe=\"{}\"", "usb 1-1: Product: {}{}"}) {
    for (const int level : {0, 3, 4}) {
      const std::string line =
          fmt::format("{},1,1,-;{}\n", level, fmt::format(fmt::runtime(form), name, file));
      for (const health::KernelRecord& record : health::parse_kernel_log(line, -1)) {
        require(!health::xid_of(record) && health::pattern_of(record, policy()) == nullptr,
                "a user's text must not be a fault: " + record.text);
      }
    }
  }
  return 0;
}
