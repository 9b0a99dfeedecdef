// Reads the catalog of published failure rates (failures.yaml).
#include "launcher/job/failures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "launcher/cluster/row_reader.h"

namespace slipway::job {
namespace {

using cluster::RowReader;

Cause read_cause(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "a cause", diagnostics);
  Cause cause;
  cause.name = row.text("name");
  const std::string fault = row.one_of("fault", {"node", "network", "application"});
  if (fault == "network") cause.fault = Fault::network;
  if (fault == "application") cause.fault = Fault::application;
  cause.count = row.count("count");
  row.finish();
  return cause;
}

FailureProfile::Measured read_measured(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "an entry of `hours_between_failures`", diagnostics);
  FailureProfile::Measured measured;
  measured.nodes = row.count("nodes");
  measured.hours_between_failures = static_cast<double>(row.amount("hours"));
  row.finish();
  return measured;
}

// A profile states its rate in one of three ways, which the file's opening comment lists.
void read_rate(RowReader& row, FailureProfile& profile, source::Diagnostics& diagnostics) {
  if (row.has("per_1000_node_days")) {
    profile.per_1000_node_days = static_cast<double>(row.amount("per_1000_node_days"));
  } else if (row.has("hours_between_failures")) {
    const source::Node* list = row.sequence("hours_between_failures");
    if (list == nullptr) return;
    for (const source::Node& item : list->items) {
      const FailureProfile::Measured measured = read_measured(item, diagnostics);
      if (!profile.measured.empty() && measured.nodes <= profile.measured.back().nodes) {
        row.wrong(item.span, "sizes must rise");
      }
      profile.measured.push_back(measured);
    }
    if (list->items.empty()) row.wrong(list->span, "it lists no sizes");
  } else {
    double count = 0;
    for (const Cause& cause : profile.causes) count += static_cast<double>(cause.count);
    const double node_days =
        static_cast<double>(row.amount("days")) * static_cast<double>(profile.nodes);
    if (node_days > 0) profile.per_1000_node_days = count / node_days * 1000;
  }
}

FailureProfile read_profile(const source::Entry& entry,
                            const std::map<std::string, std::string>& origins,
                            source::Diagnostics& diagnostics) {
  RowReader row(entry.value, fmt::format("profile `{}`", entry.key), diagnostics);
  FailureProfile profile;
  profile.name = entry.key;
  profile.about = row.text("about");
  const std::string origin = row.text("source");
  const auto found = origins.find(origin);
  if (found != origins.end()) {
    profile.source = found->second;
  } else if (!origin.empty()) {
    row.wrong(entry.value.find("source")->span, fmt::format("there is no source `{}`", origin));
  }
  profile.nodes = row.count("nodes");
  profile.gpus_per_node = row.count("gpus_per_node");
  if (const source::Node* causes = row.sequence("causes")) {
    for (const source::Node& item : causes->items) {
      profile.causes.push_back(read_cause(item, diagnostics));
    }
    if (causes->items.empty()) row.wrong(causes->span, "it lists no causes");
  }
  read_rate(row, profile, diagnostics);
  row.finish();
  return profile;
}

}  // namespace

double FailureProfile::hours_between_failures(int64_t job_nodes) const {
  const double size = static_cast<double>(job_nodes);
  if (measured.empty()) return 24 * 1000 / (per_1000_node_days * size);
  const auto above = std::find_if(measured.begin(), measured.end(),
                                  [&](const Measured& m) { return m.nodes >= job_nodes; });
  if (above == measured.begin() || above == measured.end()) {
    const Measured& last = above == measured.begin() ? measured.front() : measured.back();
    return last.hours_between_failures * static_cast<double>(last.nodes) / size;
  }
  const Measured& below = *std::prev(above);
  const double from = std::log(static_cast<double>(below.nodes));
  const double part =
      (std::log(size) - from) / (std::log(static_cast<double>(above->nodes)) - from);
  return std::exp((1 - part) * std::log(below.hours_between_failures) +
                  part * std::log(above->hours_between_failures));
}

std::vector<FailureProfile> load_failures(const std::filesystem::path& folder,
                                          source::Sources& sources,
                                          source::Diagnostics& diagnostics) {
  std::vector<FailureProfile> profiles;
  const auto root = read_yaml(sources.add_file(folder / "failures.yaml"), sources, diagnostics);
  if (!root) return profiles;
  RowReader file(*root, "the file", diagnostics);
  std::map<std::string, std::string> origins;
  if (const source::Node* node = file.mapping("sources")) {
    RowReader row(*node, "the sources", diagnostics);
    for (const source::Entry& entry : node->entries) origins[entry.key] = row.text(entry.key);
  }
  if (const source::Node* node = file.mapping("profiles")) {
    for (const source::Entry& entry : node->entries) {
      profiles.push_back(read_profile(entry, origins, diagnostics));
    }
  }
  file.finish();
  return profiles;
}

}  // namespace slipway::job
