// Cuts the output of ranks into lines.
#include "launcher/job/output_lines.h"

#include <algorithm>

namespace slipway::job {
namespace {

constexpr size_t longest_kept_line = 4096;

}  // namespace

void OutputLines::add(int64_t rank, int64_t stream, std::string_view bytes,
                      const std::function<void(std::string_view)>& each) {
  std::string& begun = begun_[{rank, stream}];
  while (!bytes.empty()) {
    const size_t end = bytes.find_first_of("\n\r");
    const std::string_view part = bytes.substr(0, end);
    begun += part.substr(0, longest_kept_line - std::min(begun.size(), longest_kept_line));
    if (end == bytes.npos) return;
    if (!begun.empty()) each(begun);
    begun.clear();
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace slipway::job
