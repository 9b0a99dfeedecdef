// Reads tpu.yaml of the catalogue, and knows which slices a generation can have.
#include "launcher/cluster/tpu_table.h"

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
  slice.type = row.text("type");
  slice.config = row.text("config");
  slice.zone = row.text("zone");
  slice.keep = row.text("keep");
  slice.counts = row.texts("counts");
  row.finish();
  return slice;
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
  TpuPods pods{row.text("accelerator"), row.text("topology"), row.text("chips")};
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

TpuTable load_tpus(const std::filesystem::path& folder, source::Sources& sources,
                   source::Diagnostics& diagnostics) {
  TpuTable table;
  const auto root = source::read_table(folder / "tpu.yaml", sources, diagnostics);
  if (!root) return table;
  RowReader file(*root, "the file", diagnostics);
  table.zones_known_in = file.text("zones_known_in");
  read_rows(file, "generations", read_generation, table.generations, diagnostics);
  read_rows(file, "slices", read_slice, table.slices, diagnostics);
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
