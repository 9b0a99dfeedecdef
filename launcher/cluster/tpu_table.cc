// Reads tpu.yaml of the catalogue, and knows which slices a generation can have.
#include "launcher/cluster/tpu_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/table.h"

namespace slipway::cluster {
namespace {

constexpr int64_t cube_side = 4;  // chips; cubes are connected by optical switches
constexpr int64_t cube_chips = cube_side * cube_side * cube_side;

TpuMachine read_tpu_machine(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "a TPU machine", diagnostics);
  TpuMachine machine{row.text("type"), row.count("chips"), row.optional_texts("only")};
  row.finish();
  return machine;
}

TpuGeneration read_generation(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "a generation of TPUs", diagnostics);
  TpuGeneration generation;
  generation.name = row.text("name");
  generation.version = row.text("version");
  generation.units_per_chip = row.one_of("unit", {"cores", "chips"}) == "cores" ? 2 : 1;
  generation.topologies = row.texts("topologies");
  if (row.has("cubes")) generation.cubes = row.count("cubes");
  generation.chips_per_machine = row.count("chips_per_machine");
  generation.labels = row.optional_texts("labels");
  generation.in_toolkit = row.one_of("toolkit", {"true", "false"}) == "true";
  generation.zones = row.texts("zones");
  if (row.has("machines")) {
    if (const source::Node* machines = row.sequence("machines")) {
      for (const source::Node& machine : machines->items) {
        generation.machines.push_back(read_tpu_machine(machine, diagnostics));
      }
    }
  }
  row.finish();
  return generation;
}

SliceSettings read_slice(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "settings of slices", diagnostics);
  SliceSettings slice;
  slice.module = row.text("module");
  slice.name = row.text("name");
  slice.type = row.text("type");
  slice.config = row.text("config");
  slice.zone = row.text("zone");
  slice.keep = row.text("keep");
  slice.counts = row.texts("counts");
  slice.partition = row.text("partition");
  slice.is_default = row.text("is_default");
  row.finish();
  return slice;
}

PlainSettings read_plain(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "settings of nodesets without TPUs", diagnostics);
  PlainSettings plain;
  plain.module = row.text("module");
  plain.name = row.text("name");
  plain.machine_type = row.text("machine_type");
  plain.static_count = row.text("static_count");
  plain.dynamic_count = row.text("dynamic_count");
  row.finish();
  return plain;
}

PoolSettings read_pool(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "settings of pools", diagnostics);
  PoolSettings pool{row.text("module"), row.text("machine"), row.text("policy"),
                    row.text("topology")};
  row.finish();
  return pool;
}

TpuPods read_pods(const source::Node& node, source::Diagnostics& diagnostics) {
  RowReader row(node, "pods", diagnostics);
  TpuPods pods{row.text("accelerator"),      row.text("topology"), row.text("chips"),
               row.text("exclusive"),        row.text("pool"),     row.texts("ports"),
               row.count("coordinator_port")};
  row.finish();
  return pods;
}

template <class Read, class Row>
void read_rows(RowReader& file, const char* key, Read read, std::vector<Row>& rows,
               source::Diagnostics& diagnostics) {
  if (const source::Node* list = file.sequence(key)) {
    for (const source::Node& node : list->items) rows.push_back(read(node, diagnostics));
  }
}

}  // namespace

std::optional<std::vector<int64_t>> tpu_sides(const std::string& topology) {
  std::vector<int64_t> sides;
  for (const std::string& part : slipway::split(topology, 'x')) {
    const int64_t side = part.size() > 4 ? 0 : positive_number(part);
    if (side == 0) return std::nullopt;
    sides.push_back(side);
  }
  return sides.size() == 2 || sides.size() == 3 ? std::optional(sides) : std::nullopt;
}

int64_t tpu_chips(const std::vector<int64_t>& sides) {
  return std::accumulate(sides.begin(), sides.end(), int64_t{1}, std::multiplies<>());
}

bool TpuGeneration::has_topology(const std::string& topology) const {
  if (std::ranges::find(topologies, topology) != topologies.end()) return true;
  const auto sides = tpu_sides(topology);
  if (cubes == 0 || !sides || sides->size() != 3 || !std::ranges::is_sorted(*sides)) return false;
  const bool whole =
      std::ranges::all_of(*sides, [](int64_t side) { return side % cube_side == 0; });
  return whole && tpu_chips(*sides) / cube_chips <= cubes;
}

bool TpuGeneration::has_size(int64_t chips) const {
  const bool small = std::ranges::any_of(
      topologies, [&](const std::string& each) { return tpu_chips(*tpu_sides(each)) == chips; });
  if (small) return true;
  if (cubes == 0 || chips % cube_chips != 0 || chips / cube_chips > cubes) return false;
  return chips > 0;  // a row of cubes at least
}

const TpuMachine* TpuGeneration::machine_of(int64_t chips) const {
  const TpuMachine* found = nullptr;
  for (const TpuMachine& one : machines) {
    const bool usual = one.chips == std::min(chips, chips_per_machine);
    if (usual || (found == nullptr && one.only.empty())) found = &one;
  }
  return found;
}

std::vector<std::string> TpuGeneration::topologies_of(int64_t chips) const {
  std::vector<std::string> found;
  for (const std::string& topology : topologies) {
    if (tpu_chips(*tpu_sides(topology)) == chips) found.push_back(topology);
  }
  if (chips % cube_chips != 0 || chips / cube_chips > cubes) return found;
  const int64_t count = chips / cube_chips;
  std::vector<std::pair<int64_t, std::string>> made;  // with the sum of their sides
  for (int64_t a = 1; a * a * a <= count; ++a) {
    for (int64_t b = a; count % a == 0 && a * b * b <= count; ++b) {
      const int64_t c = count / a / b;
      if (a * b * c != count) continue;
      made.emplace_back(a + b + c,
                        fmt::format("{}x{}x{}", a * cube_side, b * cube_side, c * cube_side));
    }
  }
  std::ranges::sort(made);
  for (auto& [sum, topology] : made) found.push_back(std::move(topology));
  return found;
}

std::string TpuGeneration::possible_topologies() const {
  std::string list = "topologies are " + slipway::join(topologies, ", ");
  if (cubes > 0) {
    list += fmt::format(", and ascending multiples of 4 of at most {} cubes, such as 4x4x8", cubes);
  }
  return list;
}

std::string TpuGeneration::possible_sizes() const {
  std::vector<std::string> types;
  for (const std::string& topology : topologies) {
    std::string type = fmt::format("{}-{}", name, tpu_chips(*tpu_sides(topology)) * units_per_chip);
    if (types.empty() || types.back() != type) types.push_back(std::move(type));
  }
  if (cubes > 0) {
    const int64_t cube = cube_chips * units_per_chip;
    types.push_back(fmt::format("multiples of {} up to {}-{}", cube, name, cube * cubes));
  }
  return "sizes are " + slipway::join(types, ", ");
}

TpuType TpuTable::of_type(const std::string& type) const {
  const size_t dash = std::min(type.rfind('-'), type.size());
  const auto found = std::ranges::find(generations, type.substr(0, dash), &TpuGeneration::name);
  if (found == generations.end()) return {};
  const std::string number = dash < type.size() ? type.substr(dash + 1) : "";
  const int64_t units = number.size() > 9 ? 0 : positive_number(number);
  const int64_t chips = units % found->units_per_chip == 0 ? units / found->units_per_chip : 0;
  return {&*found, found->has_size(chips) ? chips : 0};
}

std::pair<const TpuGeneration*, const TpuMachine*> TpuTable::of_machine(
    const std::string& type) const {
  for (const TpuGeneration& generation : generations) {
    const auto machine = std::ranges::find(generation.machines, type, &TpuMachine::type);
    if (machine != generation.machines.end()) return {&generation, &*machine};
  }
  return {nullptr, nullptr};
}

TpuTable load_tpus(const std::filesystem::path& folder, source::Sources& sources,
                   source::Diagnostics& diagnostics) {
  TpuTable table;
  const auto root = source::read_table(folder / "tpu.yaml", sources, diagnostics);
  if (!root) return table;
  RowReader file(*root, "the file", diagnostics);
  table.zones_known_in = file.text("zones_known_in");
  read_rows(file, "generations", read_generation, table.generations, diagnostics);
  read_rows(file, "slices", read_slice, table.slices, diagnostics);
  if (const source::Node* plain = file.mapping("plain")) {
    table.plain = read_plain(*plain, diagnostics);
  }
  read_rows(file, "pools", read_pool, table.pools, diagnostics);
  if (const source::Node* pods = file.mapping("pods")) table.pods = read_pods(*pods, diagnostics);
  for (const TpuGeneration& generation : table.generations) {
    for (const std::string& topology : generation.topologies) {
      if (!tpu_sides(topology)) file.wrong(root->span, "`" + topology + "` is not a topology");
    }
  }
  file.finish();
  return table;
}

}  // namespace slipway::cluster
