// Reads images.yaml.
#include "launcher/google/image_table.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {
namespace {

namespace fs = std::filesystem;
using cluster::RowReader;

void read_bases(const source::Node& bases, ImageTable& table, source::Diagnostics& diagnostics) {
  for (const source::Entry& entry : bases.entries) {
    RowReader row(entry.value, fmt::format("the base `{}`", entry.key), diagnostics);
    table.bases[entry.key] = {row.text("project"), row.text("architecture"),
                              row.text("driver") != "none"};
  }
}

void read_machines(const source::Node& machines, const std::set<std::string>& sources,
                   ImageTable& table, source::Diagnostics& diagnostics) {
  for (const source::Entry& entry : machines.entries) {
    RowReader row(entry.value, fmt::format("the image of `{}`", entry.key), diagnostics);
    ImageOfMachine machine{entry.key, row.text("transport"), row.text("base"), {}};
    if (row.has("lacks")) machine.lacks = row.text("lacks");
    if (row.finish(sources)) table.machines.push_back(std::move(machine));
  }
}

void read_publishers(const source::Node& publishers, const std::set<std::string>& sources,
                     ImageTable& table, source::Diagnostics& diagnostics) {
  for (const source::Entry& entry : publishers.entries) {
    RowReader row(entry.value, fmt::format("the publisher `{}`", entry.key), diagnostics);
    ImagePublisher publisher{split(row.text("families"), ' '), row.text("like")};
    if (row.finish(sources)) table.publishers[entry.key] = std::move(publisher);
  }
}

void read_images(const source::Node& root, ImageTable& table, source::Diagnostics& diagnostics) {
  RowReader file(root, "the file", diagnostics);
  const std::set<std::string> sources = file.keys("sources");
  if (const source::Node* bases = file.mapping("bases")) read_bases(*bases, table, diagnostics);
  if (const source::Node* transports = file.mapping("transports")) {
    for (const source::Entry& entry : transports->entries) {
      RowReader row(entry.value, fmt::format("the transport `{}`", entry.key), diagnostics);
      table.transports[entry.key] = row.text("base");
    }
  }
  if (const source::Node* machines = file.mapping("machines")) {
    read_machines(*machines, sources, table, diagnostics);
  }
  if (!file.has("publishers")) return;
  if (const source::Node* publishers = file.mapping("publishers")) {
    read_publishers(*publishers, sources, table, diagnostics);
  }
}

}  // namespace

bool ImagePublisher::has_family(const std::string& family) const {
  return std::ranges::any_of(families, [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), family.c_str(), 0) == 0;
  });
}

const ImageOfMachine* ImageTable::of(std::string_view machine_type) const {
  const std::string type(machine_type);
  for (const ImageOfMachine& machine : machines) {
    if (::fnmatch(machine.pattern.c_str(), type.c_str(), 0) == 0) return &machine;
  }
  return nullptr;
}

std::string ImageTable::family(const std::string& transport, const std::string& base) const {
  const auto usual = transports.find(transport);
  const bool is_usual = usual != transports.end() && usual->second == base;
  return fmt::format("slipway-{}{}{}", transport, is_usual ? "" : "-", is_usual ? "" : base);
}

std::optional<ImageOfMachine> ImageTable::made_by_us(std::string_view image) const {
  std::optional<ImageOfMachine> found;
  size_t longest = 0;
  for (const auto& [transport, usual] : transports) {
    for (const auto& [base, about] : bases) {
      const std::string name = family(transport, base);
      const bool fits = image == name || image.starts_with(name + "-");
      if (!fits || name.size() <= longest) continue;
      longest = name.size();
      found = ImageOfMachine{{}, transport, base, {}};
    }
  }
  return found;
}

ImageTable load_image_table(const fs::path& library) {
  ImageTable table;
  cluster::read_library_table(library / "catalogue/images.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                read_images(root, table, diagnostics);
                              });
  return table;
}

}  // namespace slipway::google
