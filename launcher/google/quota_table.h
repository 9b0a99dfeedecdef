// Reads blueprints/catalogue/quotas.yaml: the Google Cloud quotas for CPUs, GPUs, disks, etc.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "launcher/source/diagnostics.h"

namespace slipway::google {

struct Quota {
  std::string name;       // "N2_CPUS"
  std::string spot;       // for Spot machines; may be equal to `name`
  std::string dimension;  // "gpu_family": there is a quota for each; may be empty
};

class QuotaTable {
 public:
  using Rows = std::map<std::string, Quota, std::less<>>;

  // Quotas by kind of resource: "cpus", "gpus", "disks", "filestore".
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
