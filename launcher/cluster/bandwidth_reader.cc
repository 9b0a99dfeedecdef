// Reads bandwidth.yaml.
#include "launcher/cluster/bandwidth_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "common/collective_names.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/table.h"

namespace slipway::cluster {
namespace {

const std::set<std::string> known_collectives(collective_names.begin(), collective_names.end());

// The bytes in "64M"; 0 if it is not a size.
int64_t size_bytes(std::string_view text) {
  constexpr std::string_view units = "KMG";
  const size_t unit = text.empty() ? units.npos : units.find(text.back());
  if (unit != units.npos) text.remove_suffix(1);
  if (text.empty() || text.size() > 6 ||
      text.find_first_not_of("0123456789") != std::string_view::npos) {
    return 0;
  }
  const int64_t number = std::stoll(std::string(text));
  return unit == units.npos ? number : number << (10 * (static_cast<int64_t>(unit) + 1));
}

void report_size(RowReader& row, const std::string& text, source::Span span) {
  row.wrong(span, fmt::format("`{}` is not a size", text),
            "expected a whole number with K, M or G");
}

class BandwidthReader {
 public:
  BandwidthReader(const source::Node& root, Catalogue& catalogue, source::Diagnostics& diagnostics)
      : file_(root, "the file", diagnostics), catalogue_(catalogue), diagnostics_(diagnostics) {}

  void read() {
    sources_ = file_.keys("sources");
    tolerance_ = static_cast<double>(file_.amount("tolerance"));
    if (tolerance_ >= 1) {
      return file_.wrong(file_.scalar("tolerance")->span, "`tolerance` must be a fraction below 1");
    }
    read_line_rates();
    if (file_.has("more_nodes")) read_more_nodes();
    if (const source::Node* rows = file_.sequence("expected")) {
      for (const source::Node& row : rows->items) read_row(row);
    }
    const source::Node* controls = file_.has("controls") ? file_.sequence("controls") : nullptr;
    if (controls != nullptr) {
      for (const source::Node& row : controls->items) read_control(row);
    }
    file_.finish();
  }

 private:
  void read_control(const source::Node& node) {
    const size_t errors = diagnostics_.errors();
    RowReader row(node, "a control", diagnostics_);
    BandwidthControl control;
    control.target = row.one_of("target", {"local", "google"});
    control.control.kind = row.one_of("control", {"loopback"});
    control.control.least_ratio = static_cast<double>(row.amount("least_ratio"));
    const std::string least_size = row.text("least_size");
    control.control.least_size_bytes = size_bytes(least_size);
    control.control.source = read_provenance(row);
    row.finish();
    if (diagnostics_.errors() == errors && control.control.least_size_bytes == 0) {
      return report_size(row, least_size, row.scalar("least_size")->span);
    }
    if (control.control.least_ratio >= 1) {
      return row.wrong(row.scalar("least_ratio")->span, "`least_ratio` must be a fraction below 1");
    }
    if (diagnostics_.errors() == errors) catalogue_.bandwidth_controls.push_back(control);
  }

  void read_line_rates() {
    const source::Node* rates = file_.mapping("line_rates");
    if (rates == nullptr) return;
    for (const source::Entry& entry : rates->entries) {
      RowReader row(entry.value, fmt::format("the line rate of `{}`", entry.key), diagnostics_);
      const MachineType* machine = known_machine(row, entry.key, entry.key_span);
      const auto gbit = static_cast<double>(row.amount("gbit_per_s"));
      row.finish(sources_);
      if (machine == nullptr) continue;
      const auto nics = std::ranges::count(machine->nics, "gpu", &MachineType::Nic::purpose);
      machine_gb_per_s_[entry.key] = gbit / 8 * static_cast<double>(nics);
    }
  }

  void read_more_nodes() {
    const source::Node* rules = file_.sequence("more_nodes");
    if (rules == nullptr) return;
    for (const source::Node& node : rules->items) {
      RowReader row(node, "a rule for more nodes", diagnostics_);
      const std::string collective = row.one_of("collective", known_collectives);
      NodeProfile::ExpectedBandwidth::MoreNodes rule;
      rule.up_to = row.count("up_to");
      rule.tolerance = read_tolerance(row);
      rule.because = fmt::format("{} ({})", row.text("because"), row.one_of("source", sources_));
      if (row.finish()) more_nodes_[collective] = rule;
    }
  }

  // A fraction below 1, which may be 0.
  double read_tolerance(RowReader& row) {
    const source::Node* node = row.scalar("tolerance");
    if (node == nullptr || node->text == "0") return 0;
    const auto tolerance = static_cast<double>(row.amount("tolerance"));
    if (tolerance >= 1) row.wrong(node->span, "`tolerance` must be a fraction below 1");
    return tolerance;
  }

  const MachineType* known_machine(RowReader& row, const std::string& name, source::Span span) {
    const MachineType* machine = catalogue_.find_machine(name);
    if (machine == nullptr || machine->assumed) {
      row.wrong(span, fmt::format("there is no machine type `{}`", name),
                source::did_you_mean(name, catalogue_.machine_types()));
      return nullptr;
    }
    return machine;
  }

  void read_row(const source::Node& node) {
    const size_t errors = diagnostics_.errors();
    RowReader row(node, "an expected bandwidth", diagnostics_);
    ExpectedFigure figure;
    figure.machine = row.text("machine");
    figure.expected.collective = row.one_of("collective", known_collectives);
    figure.expected.nodes = row.count("nodes");
    const bool on_one_node = figure.expected.nodes == 1;
    if (!on_one_node || row.has("transport")) figure.expected.transport = row.text("transport");
    figure.expected.ranks_per_node = row.count("ranks_per_node");
    figure.expected.tolerance = row.has("tolerance") ? read_tolerance(row) : tolerance_;
    const auto rule = more_nodes_.find(figure.expected.collective);
    // What NVLink carries says nothing about the network between nodes.
    if (rule != more_nodes_.end() && !on_one_node) figure.expected.more_nodes = rule->second;
    figure.expected.source = read_provenance(row);
    const source::Node* by_size = row.mapping("busbw_gb_per_s");
    row.finish();
    if (diagnostics_.errors() != errors) return;

    if (!known_machine(row, figure.machine, node.find("machine")->span)) return;
    const std::string& transport = figure.expected.transport;
    if (on_one_node && !transport.empty()) {
      return row.wrong(
          node.find("transport")->span,
          "`transport` has no effect with `nodes: 1`: ranks of one node need no network");
    }
    if (!on_one_node && catalogue_.find_transport(transport) == nullptr) {
      return row.wrong(node.find("transport")->span,
                       fmt::format("there is no transport `{}`", transport));
    }
    RowReader figures(*by_size, "`busbw_gb_per_s`", diagnostics_);
    for (const source::Entry& entry : by_size->entries) {
      figure.expected.size_bytes = size_bytes(entry.key);
      figure.expected.busbw_gb_per_s = static_cast<double>(figures.amount(entry.key));
      if (possible(figures, entry, figure)) catalogue_.bandwidth.push_back(figure);
    }
  }

  // What a verdict cites for a figure: "megagpu-cafe: NCCL 2.28.7, one run, read 2026-11".
  std::string read_provenance(RowReader& row) {
    const source::Node* node = row.mapping("measured");
    if (node == nullptr) return "";
    RowReader measured(*node, "`measured`", diagnostics_);
    const std::string source = measured.one_of("source", sources_);
    const std::string with = measured.text("with"), how = measured.text("how");
    const std::string month = measured.text("read");
    measured.finish();
    return fmt::format("{}: {}, {}, read {}", source, with, how, month);
  }

  bool possible(RowReader& row, const source::Entry& entry, const ExpectedFigure& figure) {
    if (figure.expected.size_bytes == 0) {
      report_size(row, entry.key, entry.key_span);
      return false;
    }
    // The interfaces carry nothing between ranks of one node.
    if (figure.expected.nodes == 1) return true;
    const auto rate = machine_gb_per_s_.find(figure.machine);
    if (rate == machine_gb_per_s_.end()) {
      row.wrong(entry.value.span, fmt::format("`line_rates` has no `{}`", figure.machine));
      return false;
    }
    const double most = most_busbw_gb_per_s(figure.expected.collective, rate->second,
                                            figure.expected.nodes, figure.expected.ranks_per_node);
    if (figure.expected.busbw_gb_per_s <= most) return true;
    row.wrong(
        entry.value.span,
        fmt::format("{} of {} between {} `{}` cannot be {} GB/s: their interfaces carry {:.1f}",
                    "busbw", figure.expected.collective, figure.expected.nodes, figure.machine,
                    figure.expected.busbw_gb_per_s, most));
    return false;
  }

  RowReader file_;
  Catalogue& catalogue_;
  source::Diagnostics& diagnostics_;
  std::set<std::string> sources_;
  double tolerance_ = 0;
  std::map<std::string, double> machine_gb_per_s_;
  std::map<std::string, NodeProfile::ExpectedBandwidth::MoreNodes> more_nodes_;  // by collective
};

}  // namespace

double most_busbw_gb_per_s(std::string_view collective, double machine_gb_per_s, int64_t nodes,
                           int64_t gpus) {
  if (nodes < 2) return 0;
  const auto k = static_cast<double>(nodes);
  const double n = k * static_cast<double>(gpus);
  // A machine receives (k-1)/k of the bytes that busbw counts as (n-1)/n.
  const double once = machine_gb_per_s * k / (k - 1) * (n - 1) / n;
  if (collective == "all_gather" || collective == "all_reduce" || collective == "reduce_scatter") {
    return once;
  }
  return collective == "alltoall" ? once / static_cast<double>(gpus) : machine_gb_per_s;
}

void load_bandwidth(const std::filesystem::path& folder, Catalogue& catalogue,
                    source::Sources& sources, source::Diagnostics& diagnostics) {
  const auto root = read_table(folder / "bandwidth.yaml", sources, diagnostics);
  if (root) BandwidthReader(*root, catalogue, diagnostics).read();
}

}  // namespace slipway::cluster
