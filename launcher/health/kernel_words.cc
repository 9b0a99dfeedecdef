// Matches kernel records against the policy.
#include "launcher/health/kernel_words.h"

#include <algorithm>

namespace slipway::health {
std::optional<Xid> xid_of(const KernelRecord& record) {
  if (record.level > Level::warning) return std::nullopt;
  return parse_xid(record.text);
}

bool begins_with_a_program(const KernelRecord& record, const Policy& policy) {
  return std::ranges::any_of(policy.program_records,
                             [&](const RecordForm& form) { return form.matches(record.text); });
}

const KernelPattern* pattern_of(const KernelRecord& record, const Policy& policy) {
  const auto found = std::ranges::find_if(policy.kernel_log, [&](const KernelPattern& one) {
    return record.level <= one.level && one.record.matches(record.text);
  });
  if (found == policy.kernel_log.end() || begins_with_a_program(record, policy)) return nullptr;
  return &*found;
}

}  // namespace slipway::health
