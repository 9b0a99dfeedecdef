// Times as text, always in UTC.
#include "common/utc.h"

#include <array>

namespace slipway {

std::string utc_text(std::time_t time, char between) {
  std::tm parts = {};
  ::gmtime_r(&time, &parts);
  std::array<char, 64> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  std::string result = text.data();
  if (const size_t at = result.find('T'); at != result.npos) result[at] = between;
  return result;
}

}  // namespace slipway
