// Compares releases of Slurm by the catalogue's table.
#include "launcher/cluster/slurm_releases.h"

#include <fmt/core.h>

#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::cluster {
namespace {

std::string name_of(const SlurmVersion& version) {
  return fmt::format("{:02}.{:02}", version.year, version.month);
}

}  // namespace

std::string SlurmReleases::why_not(const SlurmVersion& from, const SlurmVersion& to) const {
  const SlurmVersion before = from.release(), after = to.release();
  if (before > after) {
    return fmt::format("Slurm {} neither reads the state of {} nor works with its nodes",
                       name_of(after), name_of(before));
  }
  const auto row = oldest_before.find(after);
  if (row == oldest_before.end() || before >= row->second) return {};
  return fmt::format("Slurm {} works with {} and newer, and this is {}", name_of(after),
                     name_of(row->second), name_of(before));
}

SlurmReleases load_slurm_releases(const std::filesystem::path& catalogue) {
  SlurmReleases table;
  read_library_table(catalogue / "slurm_releases.yaml",
                     [&](const source::Node& root, source::Diagnostics& diagnostics) {
                       RowReader file(root, "the file", diagnostics);
                       const std::set<std::string> sources = file.keys("sources");
                       if (const source::Node* releases = file.mapping("oldest_before")) {
                         RowReader row(*releases, "the releases", diagnostics);
                         for (const source::Entry& entry : releases->entries) {
                           table.oldest_before[parse_slurm_version(entry.key).release()] =
                               parse_slurm_version(row.text(entry.key)).release();
                         }
                       }
                       file.finish(sources);
                     });
  return table;
}

}  // namespace slipway::cluster
