#include <algorithm>
#include <map>

#include "common/collective_names.h"
#include "common/file.h"
#include "launcher/cluster/bandwidth_reader.h"
#include "launcher/cluster/node_profiles.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::cluster;

namespace {

// The diagnostics for a file with one row.
std::string wrong(const std::string& row, const std::string& tolerance = "0.1") {
  const TemporaryDirectory directory;
  write_file(directory / "bandwidth.yaml",
             "sources: {us: ourselves}\ntolerance: " + tolerance +
                 "\nline_rates: {a3-megagpu-8g: {gbit_per_s: 200, source: us}}\nexpected:\n" + row);
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  Catalogue catalogue = shipped_catalogue();
  load_bandwidth(directory.path(), catalogue, sources, diagnostics);
  // What is wrong is left out. A wrong rule for more nodes leaves the figure unchanged.
  const bool has_controls = row.find("controls:") != row.npos;
  const bool has_rule = row.find("more_nodes:") != row.npos;
  const bool empty =
      has_controls ? catalogue.bandwidth_controls.empty() : catalogue.bandwidth.empty();
  if (!has_rule) CHECK(empty == (diagnostics.errors() > 0));
  return render(diagnostics);
}

std::string row(const std::string& collective, const std::string& figures) {
  return "- {machine: a3-megagpu-8g, transport: tcpxo, collective: " + collective +
         ", nodes: 2, ranks_per_node: 8, busbw_gb_per_s: {" + figures +
         "}, measured: {source: us, with: NCCL 2.28.7, how: once, read: 2026-11}}\n";
}

}  // namespace

TEST_CASE("bandwidth: the shipped figures are possible and have sources") {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  Catalogue catalogue = shipped_catalogue();
  load_bandwidth(TEST_SOURCE_ROOT "/blueprints/catalogue", catalogue, sources, diagnostics);
  CHECK(render(diagnostics).empty());
  REQUIRE(!catalogue.bandwidth.empty());
  for (const ExpectedFigure& figure : catalogue.bandwidth) {
    // A health check's floor has no second tolerance.
    const bool is_floor = figure.expected.source.find("floor") != std::string::npos;
    CHECK(figure.expected.tolerance == (is_floor ? 0 : 0.1));
    CHECK_THAT(figure.expected.source, ContainsSubstring(", read 20"));
    CHECK(figure.expected.ranks_per_node == catalogue.find_machine(figure.machine)->gpu_count);
    CHECK(figure.expected.size_bytes >= int64_t{1} << 30);
  }
}

TEST_CASE("bandwidth: every collective that can be measured may have a figure") {
  for (const std::string_view name : collective_names)
    CHECK(wrong(row(std::string(name), "1G: 20")).empty());
  CHECK_THAT(wrong(row("all_scatter", "1G: 20")), ContainsSubstring("all_scatter"));
}

TEST_CASE("bandwidth: a correct row is accepted") {
  CHECK(wrong(row("all_gather", "1G: 183.1, 8G: 188.8")).empty());
}

TEST_CASE("bandwidth: a figure above what the interfaces carry is refused at its place") {
  // 8 interfaces of 200 Gbit/s carry 200 GB/s; only the other node's half has to come in.
  CHECK(most_busbw_gb_per_s("all_gather", 200, 2, 8) == Approx(375));
  CHECK(most_busbw_gb_per_s("alltoall", 200, 2, 8) == Approx(375.0 / 8));
  CHECK(most_busbw_gb_per_s("sendrecv", 200, 2, 8) == Approx(200));
  CHECK(wrong(row("all_reduce", "8G: 374")).empty());
  CHECK_THAT(wrong(row("all_gather", "8G: 376")),
             ContainsSubstring("busbw of all_gather between 2 `a3-megagpu-8g` cannot be 376 GB/s: "
                               "their interfaces carry 375.0") &&
                 ContainsSubstring("bandwidth.yaml:5:"));
}

TEST_CASE("bandwidth: a figure without provenance is rejected") {
  CHECK_THAT(wrong("- {machine: a3-megagpu-8g, transport: tcpxo, collective: all_gather, nodes: 2, "
                   "ranks_per_node: 8, busbw_gb_per_s: {8G: 100}}\n"),
             ContainsSubstring("an expected bandwidth has no `measured`"));
  CHECK_THAT(wrong("- {machine: a3-megagpu-8g, transport: tcpxo, collective: all_gather, nodes: 2, "
                   "ranks_per_node: 8, busbw_gb_per_s: {8G: 100}, measured: {source: them, with: "
                   "x, how: y, read: 2026-11}}\n"),
             ContainsSubstring("`source` of `measured` is `them`, which is not listed"));
}

TEST_CASE("bandwidth: reports unknown machines, transports, collectives and sizes") {
  const std::string rest =
      ", nodes: 2, ranks_per_node: 8, busbw_gb_per_s: {8G: 100}, measured: {source: us, with: x, "
      "how: y, read: 2026-11}}\n";
  CHECK_THAT(wrong("- {machine: a3-megagpu, transport: tcpxo, collective: all_gather" + rest),
             ContainsSubstring("there is no machine type `a3-megagpu`"));
  CHECK_THAT(wrong("- {machine: a3-megagpu-8g, transport: smoke, collective: all_gather" + rest),
             ContainsSubstring("there is no transport `smoke`"));
  CHECK_THAT(wrong(row("all_gahter", "8G: 100")), ContainsSubstring("did you mean `all_gather`?"));
  CHECK_THAT(wrong(row("all_gather", "8T: 100")), ContainsSubstring("`8T` is not a size"));
  CHECK_THAT(wrong(row("all_gather", "8G: 100"), "1.5"),
             ContainsSubstring("`tolerance` must be a fraction below 1"));
}

TEST_CASE("bandwidth: every machine with GPUs' interfaces has a figure for two nodes, all_gather") {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  Catalogue catalogue = shipped_catalogue();
  load_bandwidth(TEST_SOURCE_ROOT "/blueprints/catalogue", catalogue, sources, diagnostics);
  for (const char* machine : {"a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a4-highgpu-8g",
                              "a4x-highgpu-4g", "a4x-maxgpu-4g-metal"}) {
    CAPTURE(machine);
    const auto has = [&](const ExpectedFigure& figure) {
      const auto& expected = figure.expected;
      return figure.machine == machine && expected.collective == "all_gather" &&
             expected.nodes == 2 && expected.more_nodes && expected.more_nodes->up_to > 2;
    };
    CHECK(std::ranges::any_of(catalogue.bandwidth, has));
  }
}

TEST_CASE(
    "bandwidth: a figure for one node has no transport, no limit and no rule for more nodes") {
  const auto on_one_node = [](const std::string& more) {
    return wrong(
        "- {machine: a3-megagpu-8g, collective: all_gather, nodes: 1, ranks_per_node: 8, " + more +
        "busbw_gb_per_s: {4G: 480}, measured: {source: us, with: x, how: y, read: "
        "2026-11}}\n");
  };
  CHECK(on_one_node("").empty());
  CHECK_THAT(on_one_node("transport: tcpxo, "),
             ContainsSubstring("`transport` has no effect with `nodes: 1`"));
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  Catalogue catalogue = shipped_catalogue();
  load_bandwidth(TEST_SOURCE_ROOT "/blueprints/catalogue", catalogue, sources, diagnostics);
  std::map<std::string, double> all_reduce;
  for (const ExpectedFigure& figure : catalogue.bandwidth) {
    if (figure.expected.nodes != 1) continue;
    CHECK(figure.expected.transport.empty());
    CHECK(!figure.expected.more_nodes);
    if (figure.expected.collective == "all_reduce")
      all_reduce[figure.machine] = figure.expected.busbw_gb_per_s;
  }
  CHECK(all_reduce == std::map<std::string, double>{{"a2-highgpu-8g", 230.4},
                                                    {"a2-ultragpu-8g", 230.4},
                                                    {"a3-highgpu-8g", 480},
                                                    {"a3-megagpu-8g", 480},
                                                    {"a3-ultragpu-8g", 475},
                                                    {"a4-highgpu-8g", 845.4},
                                                    {"a4x-highgpu-4g", 679.6},
                                                    {"a4x-maxgpu-4g-metal", 685.1}});
}

TEST_CASE("bandwidth: the limit follows the ranks of a node, not its GPUs") {
  const auto with_ranks = [](const std::string& ranks) {
    return wrong(
        "- {machine: a3-megagpu-8g, transport: tcpxo, collective: alltoall, nodes: 2, "
        "ranks_per_node: " +
        ranks +
        ", busbw_gb_per_s: {8G: 150}, "
        "measured: {source: us, with: x, how: y, read: 2026-11}}\n");
  };
  CHECK(with_ranks("1").empty());
  CHECK_THAT(with_ranks("8"), ContainsSubstring("cannot be 150 GB/s"));
}

TEST_CASE("bandwidth: a rule for more nodes needs a limit, a tolerance, a reason and a source") {
  const auto with_rule = [](const std::string& rule) {
    return wrong(row("all_gather", "8G: 100") + "more_nodes: [{collective: all_gather" + rule +
                 "}]\n");
  };
  CHECK(with_rule(", up_to: 64, tolerance: 0.2, because: rings, source: us").empty());
  CHECK_THAT(with_rule(", up_to: 64, tolerance: 0.2, source: us"),
             ContainsSubstring("a rule for more nodes has no `because`"));
  CHECK_THAT(with_rule(", up_to: 64, tolerance: 1.2, because: rings, source: us"),
             ContainsSubstring("`tolerance` must be a fraction below 1"));
}

TEST_CASE("bandwidth: a control needs a target, a kind, a share and a source") {
  const std::string control =
      "- {target: local, control: loopback, least_ratio: 0.1, least_size: 1M, ";
  const std::string measured = "measured: {source: us, with: x, how: y, read: 2026-11}}\n";
  const auto wrong_control = [](const std::string& row) {
    return wrong(
        "- {machine: a3-megagpu-8g, transport: tcpxo, collective: all_gather, nodes: 2, "
        "ranks_per_node: 8, busbw_gb_per_s: {8G: 100}, measured: {source: us, with: x, how: y, "
        "read: 2026-11}}\n"
        "controls:\n" +
        row);
  };
  CHECK_THAT(wrong_control(control + "}\n"), ContainsSubstring("a control has no `measured`"));
  CHECK_THAT(
      wrong_control("- {target: lokal, control: loopback, least_ratio: 0.1, least_size: 1M, " +
                    measured),
      ContainsSubstring("did you mean `local`?"));
  CHECK_THAT(wrong_control("- {target: local, control: memcpy, least_ratio: 0.1, least_size: 1M, " +
                           measured),
             ContainsSubstring("`control` of a control is `memcpy`"));
  CHECK_THAT(wrong_control("- {target: local, control: loopback, least_ratio: 2, least_size: 1M, " +
                           measured),
             ContainsSubstring("`least_ratio` must be a fraction below 1"));
}

TEST_CASE("bandwidth: nodes in the cloud get expected figures, simulated ones do not") {
  Catalogue catalogue = shipped_catalogue();
  catalogue.bandwidth = {
      {"a3-megagpu-8g", {"all_gather", 2, 1 << 30, 183.1, 0.1, "a page", "tcpxo"}},
      {"a3-highgpu-8g", {"all_gather", 2, 1 << 30, 60, 0.1, "a page", "tcpx"}}};
  const Cluster cluster = quickstart_cluster();
  const Node node = nodes(cluster).back();
  const auto in_cloud = profile_of(node, cluster, catalogue, {"google", {}});
  REQUIRE(in_cloud.expected_bandwidth.size() == 1);
  CHECK(in_cloud.expected_bandwidth[0].busbw_gb_per_s == 183.1);
  CHECK(profile_of(node, cluster, catalogue, {"local", {}}).expected_bandwidth.empty());
}

TEST_CASE("bandwidth: compute nodes of a target with a control get it") {
  Catalogue catalogue = shipped_catalogue();
  catalogue.bandwidth_controls = {{"local", {"loopback", 0.1, 1 << 20, "measured by hand"}}};
  const Cluster cluster = quickstart_cluster();
  const Node node = nodes(cluster).back();
  const NodeProfile profile = profile_of(node, cluster, catalogue, {"local", {}});
  REQUIRE(profile.bandwidth_control);
  CHECK(profile.bandwidth_control->least_ratio == 0.1);
  const NodeProfile read = parse_node_profile(to_json(profile), "node.json");
  REQUIRE(read.bandwidth_control);
  CHECK(read.bandwidth_control->source == "measured by hand");
  CHECK(!profile_of(node, cluster, catalogue, {"google", {}}).bandwidth_control);
}
