// Reads blueprints/catalogue/faults.yaml, whose text the program contains.
#include <fmt/core.h>

#include <map>

#include "common/error.h"
#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/local/fault.h"
#include "launcher/local/faults_text.h"
#include "launcher/source/diagnostics.h"

namespace slipway::local {
namespace {

using cluster::RowReader;

struct FaultCatalogue {
  std::vector<FaultKind> kinds;
  std::vector<std::string> kernel_names;
  std::map<std::string, KernelLine> kernel_lines;
};

const std::map<std::string, Effect> effects = {
    {"power", Effect::power},
    {"freeze", Effect::freeze},
    {"link-down", Effect::link_down},
    {"link-rate", Effect::link_rate},
    {"gpu", Effect::gpu},
    {"driver", Effect::driver},
    {"xid", Effect::xid},
    {"kernel-log", Effect::kernel_log},
    {"disk-full", Effect::disk_full},
    {"daemon-killed", Effect::daemon_killed},
};

std::set<std::string> effect_names() {
  std::set<std::string> names;
  for (const auto& [name, effect] : effects) names.insert(name);
  return names;
}

FaultKind read_kind(const source::Entry& entry, source::Diagnostics& diagnostics) {
  RowReader row(entry.value, fmt::format("fault `{}`", entry.key), diagnostics);
  FaultKind kind;
  kind.name = entry.key;
  if (row.has("arguments")) kind.arguments = row.texts("arguments");
  kind.about = row.text("about");
  const auto effect = effects.find(row.one_of("effect", effect_names()));
  if (effect != effects.end()) kind.effect = effect->second;
  if (kind.effect == Effect::gpu || kind.effect == Effect::driver) kind.field = row.text("field");
  if (row.has("healthy")) kind.healthy = to_number<int>(row.text("healthy"));
  if (row.has("most")) kind.most = static_cast<int>(row.count("most"));
  kind.ends_with_power = row.optional_text("software") == "true";
  row.finish();
  return kind;
}

FaultCatalogue read_faults() {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  FaultCatalogue faults;
  if (const auto root = read_yaml(sources.add("faults.yaml", faults_text), sources, diagnostics)) {
    RowReader file(*root, "the file", diagnostics);
    for (const source::Entry& entry : file.mapping("faults")->entries) {
      faults.kinds.push_back(read_kind(entry, diagnostics));
    }
    for (const source::Entry& entry : file.mapping("kernel_lines")->entries) {
      RowReader row(entry.value, fmt::format("kernel line `{}`", entry.key), diagnostics);
      const int level = to_number<int>(row.text("level")).value_or(0);
      faults.kernel_lines[entry.key] = {level, row.text("line")};
      faults.kernel_names.push_back(entry.key);
      row.finish();
    }
    file.finish();
  }
  if (diagnostics.errors() > 0) throw Error(render(diagnostics));
  return faults;
}

const FaultCatalogue& faults() {
  static const FaultCatalogue all = read_faults();
  return all;
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
  return faults().kinds;
}

KernelLine kernel_line(const std::string& what) {
  const auto found = faults().kernel_lines.find(what);
  if (found != faults().kernel_lines.end()) return found->second;
  throw UsageError(fmt::format("unknown kernel message `{}`; known: {}", what,
                               join(faults().kernel_names, ", ")));
}

}  // namespace slipway::local
