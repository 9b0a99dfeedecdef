// Notes in the comments of jobs that have no spare node left.
#include "launcher/tell/spares.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include "common/text.h"

namespace slipway::tell {

std::string with_spares_note(std::string_view comment, int64_t blamed) {
  static const re2::RE2 earlier(R"((?:^|; )slipway launch: no spare node is left, [0-9]+ blamed$)");
  std::string own(comment);
  re2::RE2::Replace(&own, earlier, "");
  return fmt::format("{}{}slipway launch: no spare node is left, {} blamed", own,
                     own.empty() ? "" : "; ", blamed);
}

std::optional<int64_t> blamed_in(std::string_view comment) {
  static const re2::RE2 note(R"(slipway launch: no spare node is left, ([0-9]{1,6}) blamed$)");
  std::string number;
  if (!re2::RE2::PartialMatch({comment.data(), comment.size()}, note, &number)) return std::nullopt;
  return to_number<int64_t>(number);
}

}  // namespace slipway::tell
