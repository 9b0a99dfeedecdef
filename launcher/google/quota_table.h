// Which quota of the cloud something counts against: blueprints/catalogue/quotas.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "launcher/source/diagnostics.h"

namespace slipway::google {

struct Quota {
  std::string name;       // "N2_CPUS"
  std::string spot;       // of machines that may be taken away; the same where there is no other
  std::string dimension;  // "gpu_family": the quota is kept for each of them; may be empty
};

class QuotaTable {
 public:
  using Rows = std::map<std::string, Quota, std::less<>>;

  // Quotas by what counts: "cpus", "gpus", "disks", "filestore".
  explicit QuotaTable(std::map<std::string, Rows, std::less<>> rows) : rows_(std::move(rows)) {}

  // The row of a key, or that of all others; nullptr when there is none.
  const Quota* find(std::string_view what, std::string_view key) const;

 private:
  std::map<std::string, Rows, std::less<>> rows_;
};

// Reads quotas.yaml of `folder` (<blueprints>/catalogue) into `sources`. What is wrong in it goes
// to `diagnostics`, which must be of the same sources. Throws Error when the file cannot be read.
QuotaTable load_quotas(const std::filesystem::path& folder, source::Sources& sources,
                       source::Diagnostics& diagnostics);

}  // namespace slipway::google
