// Reads services.yaml.
#include "launcher/google/service_table.h"

#include <fmt/core.h>

#include "launcher/cluster/row_reader.h"

namespace slipway::google {
namespace {

ServiceTable::Rows read_services(cluster::RowReader& file, const char* what,
                                 const std::set<std::string>& known,
                                 source::Diagnostics& diagnostics) {
  ServiceTable::Rows table;
  const source::Node* rows = file.mapping(what);
  if (rows == nullptr) return table;
  for (const source::Entry& entry : rows->entries) {
    cluster::RowReader row(entry.value, fmt::format("`{}` of `{}`", entry.key, what), diagnostics);
    ServiceRow service{row.text("service"), row.texts("permissions"), row.text("role")};
    row.one_of("source", known);
    if (row.finish()) table.emplace(entry.key, std::move(service));
  }
  return table;
}

}  // namespace

ServiceTable load_services(const std::filesystem::path& folder, source::Sources& sources,
                           source::Diagnostics& diagnostics) {
  ServiceTable table;
  const auto root = read_yaml(sources.add_file(folder / "services.yaml"), sources, diagnostics);
  if (!root) return table;
  cluster::RowReader file(*root, "the file", diagnostics);
  const std::set<std::string> known = file.keys("sources");
  table.always = read_services(file, "always", known, diagnostics);
  table.machines = read_services(file, "machines", known, diagnostics);
  table.resources = read_services(file, "resources", known, diagnostics);
  file.finish();
  return table;
}

}  // namespace slipway::google
