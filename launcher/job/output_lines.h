// Cuts the output of ranks into lines, for what reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace slipway::job {

class OutputLines {
 public:
  // Calls `each` for every line that is now whole, without its end. A carriage return ends a line,
  // too: progress bars have no other. Of longer lines, only the beginning is kept.
  void add(int64_t rank, int64_t stream, std::string_view bytes,
           const std::function<void(std::string_view)>& each);

 private:
  std::map<std::pair<int64_t, int64_t>, std::string> begun_;
};

}  // namespace slipway::job
