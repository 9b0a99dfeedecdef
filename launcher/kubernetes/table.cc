// Reads kubernetes.yaml of the catalogue.
#include "launcher/kubernetes/table.h"

#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/table.h"

namespace slipway::kubernetes {
namespace {

using cluster::RowReader;

std::vector<std::string> keys_in(const std::string& path) {
  std::vector<std::string> keys;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find(" / ", at), path.size());
    keys.push_back(path.substr(at, end - at));
    at = end + 3;
  }
  return keys;
}

ManifestSetting read_setting(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "a setting of manifests", diagnostics);
  ManifestSetting setting;
  setting.module = row.text("module");
  setting.setting = row.text("setting");
  setting.list = row.optional_text("list") == "true";
  setting.path = row.text("path");
  setting.content = row.optional_text("content");
  setting.variables = row.optional_text("variables");
  setting.space = row.optional_text("namespace");
  setting.enabled = row.optional_text("enabled");
  setting.default_space = row.optional_text("default_namespace");
  if (setting.default_space.empty()) setting.default_space = "default";
  row.finish();
  return setting;
}

Reference read_reference(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "a reference", diagnostics);
  Reference reference;
  reference.from = row.texts("from");
  reference.at = keys_in(row.text("at"));
  reference.to = row.text("to");
  reference.condition = keys_in(row.optional_text("if"));
  reference.same_namespace = row.optional_text("same_namespace") == "true";
  row.finish();
  return reference;
}

Program read_program(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "a program", diagnostics);
  Program program;
  program.name = row.text("name");
  program.group = row.text("group");
  program.module = row.text("module");
  program.setting = row.text("setting");
  program.absent_in = row.text("absent_in");
  row.finish();
  return program;
}

}  // namespace

Table load_table(const std::filesystem::path& catalogue, source::Sources& sources,
                 source::Diagnostics& diagnostics) {
  Table table;
  const auto root = source::read_table(catalogue / "kubernetes.yaml", sources, diagnostics);
  if (!root) return table;
  RowReader file(*root, "the file", diagnostics);
  if (const source::Node* manifests = file.sequence("manifests")) {
    for (const source::Node& node : manifests->items) {
      table.manifests.push_back(read_setting(node, diagnostics));
    }
  }
  if (const source::Node* references = file.sequence("references")) {
    for (const source::Node& node : references->items) {
      table.references.push_back(read_reference(node, diagnostics));
    }
  }
  if (const source::Node* programs = file.sequence("programs")) {
    for (const source::Node& node : programs->items) {
      table.programs.push_back(read_program(node, diagnostics));
    }
  }
  file.finish();
  return table;
}

}  // namespace slipway::kubernetes
