// Reads kueue.yaml of the catalogue.
#include "launcher/conversion/kueue.h"

#include "launcher/cluster/row_reader.h"
#include "launcher/source/table.h"

namespace slipway::conversion {

KueueTable read_kueue(const std::filesystem::path& folder, source::Sources& sources,
                      source::Diagnostics& diagnostics) {
  KueueTable table;
  const auto root = source::read_table(folder / "kueue.yaml", sources, diagnostics);
  if (!root) return table;
  cluster::RowReader file(*root, "the file", diagnostics);
  table.api = file.text("api_version");
  table.levels = file.texts("levels");
  table.accelerator_label = file.text("accelerator_label");
  table.machine_label = file.text("machine_label");
  if (const source::Node* rows = file.sequence("priorities")) {
    for (const source::Node& item : rows->items) {
      cluster::RowReader row(item, "a priority", diagnostics);
      std::string name = row.text("name");
      table.priorities.emplace_back(std::move(name), row.count("value"));
      row.finish();
    }
  }
  if (const source::Node* node = file.mapping("flex_start")) {
    cluster::RowReader row(*node, "`flex_start`", diagnostics);
    table.controller = row.text("controller");
    table.provisioning_class = row.text("class");
    table.queued_label = row.text("node_label");
    table.topology_parameter = row.text("topology_parameter");
    row.finish();
  }
  file.finish();
  return table;
}

}  // namespace slipway::conversion
