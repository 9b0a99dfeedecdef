// Reads blueprints/catalogue/quotas.yaml: the Google Cloud quotas for CPUs, GPUs, disks, etc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "launcher/source/diagnostics.h"

namespace slipway::google {

struct Quota {
  std::string name;       // "N2_CPUS"; empty: unknown
  std::string spot;       // for Spot machines; may be equal to `name`
  std::string dimension;  // "gpu_family": there is a quota for each; may be empty
  int64_t gb_each = 0;    // of a disk that has one size; 0: as requested

  // Of rows of "resources".
  bool per_project = false;  // otherwise per region
  std::string amount;        // the attribute with the amount; empty: each resource counts as one
  std::string unit;          // of the amount: "GiB"
  std::string about;         // "Managed Lustre"
};

class QuotaTable {
 public:
  using Rows = std::map<std::string, Quota, std::less<>>;

  // Quotas by kind: "cpus", "gpus", "disks", "filestore"; "all_regions" has those for all
  // "cpus" and all "gpus"; "resources" has Terraform types.
  explicit QuotaTable(std::map<std::string, Rows, std::less<>> rows) : rows_(std::move(rows)) {}

  // The row of a key, or the default row; nullptr without either.
  const Quota* find(std::string_view what, std::string_view key) const;

 private:
  std::map<std::string, Rows, std::less<>> rows_;
};

// Reads quotas.yaml in `folder` (<blueprints>/catalogue) into `sources`. Reports errors in
// `diagnostics`, which must use the same sources. Throws Error if the file cannot be read.
QuotaTable load_quotas(const std::filesystem::path& folder, source::Sources& sources,
                       source::Diagnostics& diagnostics);

}  // namespace slipway::google
