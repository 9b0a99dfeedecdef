// Writes and reads the prepared form of the catalog's health policy.
#include "launcher/health/prepared_policy.h"

#include <cereal/archives/binary.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <fstream>
#include <sstream>

#include "common/digest.h"

namespace slipway::health {

// Each names all members of its struct, so that a new member does not compile until it is added
// here.
template <class Archive>
void serialize(Archive& archive, Escalation& escalation) {
  auto& [times, hours, action] = escalation;
  archive(times, hours, action);
}

template <class Archive>
void serialize(Archive& archive, Rule& rule) {
  auto& [action, escalation, about] = rule;
  archive(action, escalation, about);
}

template <class Archive>
void serialize(Archive& archive, XidSource& source) {
  auto& [title, means] = source;
  archive(title, means);
}

template <class Archive>
void serialize(Archive& archive, XidRow& row) {
  auto& [name, says, escalation, own] = row;
  archive(name, says, escalation, own);
}

template <class Archive>
void serialize(Archive& archive, GpuModel& model) {
  auto& [name, nvlinks, pcie_generation, pcie_width, memory, host] = model;
  archive(name, nvlinks, pcie_generation, pcie_width, memory, host);
}

template <class Archive>
std::string save_minimal(const Archive&, const RecordForm& form) {
  return form.text();
}

template <class Archive>
void load_minimal(const Archive&, RecordForm& form, const std::string& text) {
  form = RecordForm(text);
}

template <class Archive>
void serialize(Archive& archive, KernelPattern& pattern) {
  auto& [name, level, record, finding] = pattern;
  archive(name, level, record, finding);
}

template <class Archive>
void serialize(Archive& archive, Breaker& breaker) {
  auto& [nodes, share, minutes] = breaker;
  archive(nodes, share, minutes);
}

template <class Archive>
void serialize(Archive& archive, Telling& telling) {
  auto& [program, webhook, mail, sendmail, events, most, minutes, job_nodes] = telling;
  archive(program, webhook, mail, sendmail, events, most, minutes, job_nodes);
}

template <class Archive>
void serialize(Archive& archive, DeepChecks& deep) {
  auto& [when, retry_minutes, detect_percent, scan_mib] = deep;
  archive(when, retry_minutes, detect_percent, scan_mib);
}

template <class Archive>
void serialize(Archive& archive, Policy& policy) {
  auto& [findings, xid_sources, xids, presets, preset, recovery_actions, limits, deadlines,
         gpu_models, kernel_log, program_records, disks, mounts, daemons, user_folders, breaker,
         tell, deep_checks, clean_checks, jobs_may_skip] = policy;
  archive(findings, xid_sources, xids, presets, preset, recovery_actions, limits, deadlines,
          gpu_models, kernel_log, program_records, disks, mounts, daemons, user_folders, breaker,
          tell, deep_checks, clean_checks, jobs_may_skip);
}

namespace {

// Increase the number at the end if the content or its encoding changes.
const std::string format = "slipway health policy " SLIPWAY_VERSION " 3";

}  // namespace

std::string prepare_policy(const Policy& policy, std::string_view text) {
  std::ostringstream whole;
  cereal::BinaryOutputArchive archive(whole);
  archive(format, digest_of(text), policy);
  return whole.str();
}

std::optional<Policy> read_prepared_policy(const std::filesystem::path& folder,
                                           std::string_view text) {
  std::ifstream stream(folder / prepared_policy_name, std::ios::binary);
  if (!stream) return std::nullopt;
  try {
    cereal::BinaryInputArchive archive(stream);
    std::string made_by;
    archive(made_by);
    if (made_by != format) return std::nullopt;
    uint64_t digest = 0;
    archive(digest);
    if (digest != digest_of(text)) return std::nullopt;
    Policy policy;
    archive(policy);
    return policy;
  } catch (const std::exception&) {
    return std::nullopt;  // the file is incomplete
  }
}

}  // namespace slipway::health
