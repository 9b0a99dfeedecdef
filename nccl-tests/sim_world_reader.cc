// Reads the YAML file of a simulated cluster.
#include <optional>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "nccl-tests/sim_world.h"

namespace slipway::bandwidth {
namespace {

using cluster::RowReader;

class WorldReader {
 public:
  WorldReader(const source::Node& root, source::Diagnostics& diagnostics)
      : root_(root), file_(root, "the world", diagnostics), diagnostics_(diagnostics) {}

  SimWorld read() {
    world_.nodes = static_cast<int>(file_.count("nodes"));
    world_.gb_per_s = static_cast<double>(file_.amount("gb_per_s"));
    count("ranks_per_node", world_.ranks_per_node);
    count("block_size", world_.block_size);
    amount("inside_gb_per_s", world_.inside_gb_per_s);
    amount("latency_us", world_.latency_us);
    amount("noise", world_.noise);
    if (file_.has("seed")) world_.seed = static_cast<uint64_t>(file_.count("seed"));
    if (file_.has("memory")) world_.memory = file_.one_of("memory", {"host", "gpu"});
    if (file_.has("transport")) world_.transport = file_.text("transport");
    if (world_.nodes > most_nodes) {
      file_.wrong(root_.find("nodes")->span, fmt::format("more than {} nodes", most_nodes));
    }
    factors_of_nodes("slow_nodes", world_.slow_nodes);
    factors_of_nodes("slow_senders", world_.slow_senders);
    slow_links();
    slow_blocks();
    dead();
    file_.finish();
    return std::move(world_);
  }

 private:
  static constexpr int most_nodes = 100000;

  void count(const char* key, int& to) {
    if (file_.has(key)) to = static_cast<int>(file_.count(key));
  }
  void amount(const char* key, double& to) {
    if (file_.has(key)) to = static_cast<double>(file_.amount(key));
  }

  // The number of the node called "node-7"; empty, with a diagnostic, if it does not exist.
  std::optional<int> node(const std::string& name, source::Span span) {
    constexpr std::string_view prefix = "node-";
    int number = -1;
    if (name.starts_with(prefix)) {
      number = to_number<int>(std::string_view(name).substr(prefix.size())).value_or(-1);
    }
    if (number >= 0 && number < world_.nodes && SimWorld::name_of(number) == name) return number;
    file_.wrong(span, fmt::format("there is no node `{}`", name),
                fmt::format("nodes are node-0 to node-{}", world_.nodes - 1));
    return std::nullopt;
  }

  void factors_of_nodes(const char* key, std::map<int, double>& to) {
    if (!file_.has(key)) return;
    const source::Node* rows = file_.mapping(key);
    if (rows == nullptr) return;
    RowReader row(*rows, fmt::format("`{}`", key), diagnostics_);
    for (const source::Entry& entry : rows->entries) {
      const auto factor = static_cast<double>(row.amount(entry.key));
      if (const auto number = node(entry.key, entry.key_span)) to[*number] = factor;
    }
  }

  void slow_links() {
    if (!file_.has("slow_links")) return;
    const source::Node* rows = file_.sequence("slow_links");
    if (rows == nullptr) return;
    for (const source::Node& item : rows->items) {
      RowReader row(item, "a slow link", diagnostics_);
      const auto factor = static_cast<double>(row.amount("factor"));
      const std::vector<std::string> ends = row.texts("between");
      if (row.finish() && ends.size() != 2) row.wrong(item.span, "a link is between two nodes");
      if (ends.size() != 2) continue;
      const auto a = node(ends[0], item.span), b = node(ends[1], item.span);
      if (a && b) world_.slow_links[{std::min(*a, *b), std::max(*a, *b)}] = factor;
    }
  }

  void slow_blocks() {
    if (!file_.has("slow_blocks")) return;
    const source::Node* rows = file_.mapping("slow_blocks");
    if (rows == nullptr) return;
    RowReader row(*rows, "`slow_blocks`", diagnostics_);
    for (const source::Entry& entry : rows->entries) {
      const auto factor = static_cast<double>(row.amount(entry.key));
      const int block = to_number<int>(entry.key).value_or(-1);
      if (world_.block_size == 0 || block < 0 || block > world_.block_of(world_.nodes - 1)) {
        file_.wrong(entry.key_span, fmt::format("there is no block `{}`", entry.key));
        continue;
      }
      world_.slow_blocks[block] = factor;
    }
  }

  void dead() {
    if (!file_.has("dead")) return;
    const source::Node* rows = file_.sequence("dead");
    if (rows == nullptr) return;
    for (const source::Node& item : rows->items) {
      if (const auto number = node(item.text, item.span)) world_.dead.insert(*number);
    }
  }

  const source::Node& root_;
  RowReader file_;
  source::Diagnostics& diagnostics_;
  SimWorld world_;
};

}  // namespace

SimWorld load_sim_world(const std::filesystem::path& path) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  SimWorld world;
  if (const auto root = read_yaml(sources.add_file(path), sources, diagnostics)) {
    world = WorldReader(*root, diagnostics).read();
  }
  if (diagnostics.errors() > 0) {
    throw Error(fmt::format("{} is wrong\n{}", path.string(), render(diagnostics)));
  }
  return world;
}

}  // namespace slipway::bandwidth
