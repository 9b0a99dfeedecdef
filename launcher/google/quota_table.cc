// Reads quotas.yaml.
#include "launcher/google/quota_table.h"

#include <fmt/core.h>

#include "launcher/cluster/row_reader.h"

namespace slipway::google {

using cluster::RowReader;

namespace {

Quota read_quota(RowReader& row) {
  Quota quota;
  quota.amount = row.optional_text("amount");
  if (!quota.amount.empty()) {
    quota.unit = row.text("unit");
    quota.about = row.text("about");
  }
  // Without a name, the amount is reported, not counted.
  quota.name = quota.amount.empty() ? row.text("quota") : row.optional_text("quota");
  quota.spot = row.has("spot") ? row.text("spot") : quota.name;
  quota.dimension = row.optional_text("dimension");
  quota.per_project = row.has("per") && row.one_of("per", {"project", "region"}) == "project";
  if (row.has("gb_each")) quota.gb_each = row.count("gb_each");
  return quota;
}

}  // namespace

const Quota* QuotaTable::find(std::string_view what, std::string_view key) const {
  const auto rows = rows_.find(what);
  if (rows == rows_.end()) return nullptr;
  auto row = rows->second.find(key);
  if (row == rows->second.end()) row = rows->second.find("other");
  return row == rows->second.end() ? nullptr : &row->second;
}

QuotaTable load_quotas(const std::filesystem::path& folder, source::Sources& sources,
                       source::Diagnostics& diagnostics) {
  std::map<std::string, QuotaTable::Rows, std::less<>> table;
  const auto root = read_yaml(sources.add_file(folder / "quotas.yaml"), sources, diagnostics);
  if (!root) return QuotaTable(std::move(table));
  RowReader file(*root, "the file", diagnostics);
  const std::set<std::string> known = file.keys("sources");
  for (const char* what : {"cpus", "gpus", "disks", "filestore", "all_regions", "resources"}) {
    const source::Node* rows = file.mapping(what);
    if (rows == nullptr) continue;
    for (const source::Entry& entry : rows->entries) {
      RowReader row(entry.value, fmt::format("`{}` of `{}`", entry.key, what), diagnostics);
      Quota quota = read_quota(row);
      row.one_of("source", known);
      if (row.finish()) table[what].emplace(entry.key, std::move(quota));
    }
  }
  file.finish();
  return QuotaTable(std::move(table));
}

}  // namespace slipway::google
