// `slipway metrics`: this machine's and the cluster's metrics for Prometheus.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/node_profile.h"
#include "common/tcp.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/commands/verb.h"
#include "launcher/node/monitoring.h"
#include "launcher/observe/bandwidth_metrics.h"
#include "launcher/observe/cluster_page.h"
#include "launcher/observe/exporter.h"
#include "launcher/observe/job_metrics.h"
#include "launcher/observe/node_metrics.h"
#include "launcher/observe/slurm_metrics.h"

namespace slipway::commands {
namespace {

using std::chrono::seconds;

constexpr seconds slurm_limit{10};
// The service is an ordinary user, whose own database would be another one.
constexpr const char* root_database = "/var/lib/slipway/bandwidth.db";
constexpr const char* part_names[] = {"node", "slurm", "bandwidth"};

struct MetricsOptions {
  std::vector<std::string> parts;  // empty: those that fit this machine's role
  std::string profile = std::string(node_profile_path);
  int64_t interval = 10, slurm_interval = 30;
};

void declare_parts(CommandLine& line, MetricsOptions& options) {
  line.option("part", "node|slurm|bandwidth", "only this part; may be given several times",
              &options.parts, "the controller has all, other nodes have `node`");
  line.option("profile", "FILE", "the node profile", &options.profile);
  line.file(std::string(node_profile_path), "the node profile");
}

std::optional<NodeProfile> profile_of(const MetricsOptions& options) {
  if (!std::filesystem::exists(options.profile)) return std::nullopt;
  return load_node_profile(options.profile);
}

bool has_part(const MetricsOptions& options, const std::optional<NodeProfile>& profile,
              const std::string& name) {
  if (!options.parts.empty()) return std::ranges::find(options.parts, name) != options.parts.end();
  return profile && (name == "node" || profile->role == "controller");
}

// The parts that the options and the machine's role ask for.
std::vector<observe::Part> parts_of(const MetricsOptions& options,
                                    const std::optional<NodeProfile>& profile) {
  for (const std::string& name : options.parts) {
    if (std::ranges::find(part_names, name) != std::end(part_names)) continue;
    throw UsageError(fmt::format("unknown part `{}`; known: node, slurm, bandwidth", name));
  }
  std::vector<observe::Part> parts;
  if (has_part(options, profile, "node")) {
    if (!profile) {
      throw Error(
          fmt::format("{} not found: this machine is not a cluster node; give `--part "
                      "slurm` for Slurm's metrics",
                      options.profile));
    }
    parts.push_back(
        {"node", [profile] { return observe::node_metrics(*profile); }, seconds(options.interval)});
  }
  if (has_part(options, profile, "slurm")) {
    parts.push_back({"slurm", [] { return observe::slurm_metrics(slurm_limit); },
                     seconds(options.slurm_interval)});
  }
  if (has_part(options, profile, "bandwidth")) {
    parts.push_back({"bandwidth", [] { return observe::bandwidth_metrics(root_database); },
                     seconds(options.slurm_interval)});
  }
  return parts;
}

int print_metrics(Args args) {
  MetricsOptions options;
  std::vector<std::string> ledgers;
  std::string textfile;
  bool openmetrics = false;
  CommandLine line("slipway metrics print", "Print metrics once.");
  line.about(
      "In the text format of Prometheus. With --ledger, those of the jobs with these ledgers only, "
      "on any machine.");
  declare_parts(line, options);
  line.option("ledger", "FILE", "a job's ledger; may be given several times", &ledgers);
  line.option("textfile", "FILE",
              "replace this file instead: one ending in .prom in the folder of node_exporter's "
              "--collector.textfile.directory",
              &textfile);
  line.flag("openmetrics", "print OpenMetrics 1.0", &openmetrics);
  line.example("slipway metrics print", "all metrics of this node");
  line.example("slipway metrics print --part slurm --textfile /var/lib/prometheus/slurm.prom",
               "for node_exporter, from a timer");
  line.see_also("slipway-metrics-serve(1)");
  if (!line.parse(args)) return 0;
  std::string text;
  if (!ledgers.empty()) {
    observe::MetricSet set;
    for (const std::string& file : ledgers) observe::add_ledger(set, file);
    text = set.text();
  } else {
    const auto parts = parts_of(options, profile_of(options));
    if (parts.empty()) {
      throw Error(
          fmt::format("{} not found: this machine is not a cluster node; give `--part` "
                      "or `--ledger`",
                      options.profile));
    }
    for (const observe::Part& part : parts) text += part.make();
  }
  if (openmetrics) text = observe::to_openmetrics(text);
  if (!textfile.empty()) {
    write_file(textfile, text);
  } else {
    std::fputs(text.c_str(), stdout);
  }
  return 0;
}

int serve_metrics(Args args) {
  MetricsOptions options;
  std::string address;
  int64_t port = node::metrics_port;
  CommandLine line("slipway metrics serve", "Serve metrics over HTTP for Prometheus.");
  line.about(
      "The metrics are at /metrics. They are read at intervals, however many programs scrape: "
      "Slurm's state with one sinfo and one squeue for all. On the controller, /targets lists the "
      "nodes "
      "that are up for Prometheus' http_sd. Needs no root.");
  declare_parts(line, options);
  line.option("listen", "ADDRESS",
              "listen on the interface with this IPv4 address; 0.0.0.0: on all", &address,
              "this node's address on the cluster's network");
  line.option("port", "N", "listen on this port", &port);
  line.option("interval", "SECONDS", "between two readings of the node", &options.interval);
  line.option("slurm-interval", "SECONDS", "between two readings of Slurm's state",
              &options.slurm_interval);
  line.example("slipway metrics serve", "on a node");
  line.example("slipway metrics serve --part slurm --listen 127.0.0.1",
               "Slurm's metrics of any cluster, for this machine only");
  line.see_also("slipway-metrics-print(1)");
  if (!line.parse(args)) return 0;
  if (port < 1 || port > 65535) throw UsageError("--port is from 1 to 65535");
  if (options.interval < 1 || options.slurm_interval < 1) {
    throw UsageError("an interval is at least a second");
  }
  const std::optional<NodeProfile> profile = profile_of(options);
  if (address.empty()) {
    if (!profile) throw UsageError("this machine is not a cluster node: give --listen");
    address = observe::cluster_address(*profile);
  }
  std::vector<observe::Part> parts = parts_of(options, profile);
  Fd listener = listen_on_tcp(static_cast<int>(port), address);
  if (!listener) throw_errno(fmt::format("cannot listen on {}:{}", address, port));
  observe::Exporter exporter(std::move(parts), static_cast<int>(port));
  fmt::print(stderr, "slipway metrics: serving http://{}:{}/metrics\n", address, port);
  exporter.serve(std::move(listener));
  return 0;
}

int list_metrics(Args args) {
  bool json = false;
  CommandLine line("slipway metrics list", "List every metric, its labels and its meaning.");
  line.json("schema slipway/metrics/1", &json);
  line.example("slipway metrics list", "a table");
  line.example("slipway metrics list --json", "for programs");
  if (!line.parse(args)) return 0;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const observe::Metric& metric : observe::metric_table()) {
    if (json) {
      all.push_back({{"name", metric.name},
                     {"type", observe::name_of(metric.type)},
                     {"labels", metric.labels},
                     {"help", metric.help}});
    } else {
      fmt::print("{}{}\n    {}\n", metric.name,
                 metric.labels.empty() ? "" : fmt::format(" ({})", metric.labels), metric.help);
    }
  }
  if (json) {
    const nlohmann::ordered_json body{{"schema", "slipway/metrics/1"}, {"metrics", all}};
    fmt::print("{}\n", body.dump(2));
  }
  return 0;
}

// Where this cluster's Prometheus is, if the controller runs one.
std::string default_prometheus() {
  const MetricsOptions options;
  const std::optional<NodeProfile> profile = profile_of(options);
  if (!profile || profile->role != "controller") {
    throw UsageError("this machine is not a controller: give --prometheus");
  }
  return fmt::format("http://{}:{}", observe::cluster_address(*profile), node::prometheus_port);
}

int write_page(Args args) {
  std::string url, file = "-";
  int64_t minutes = 180;
  CommandLine line("slipway metrics page",
                   "Write a page with a cluster's alerts, jobs and curves.");
  line.about(
      "A single HTML file for a browser, from what Prometheus has recorded. Nothing else is needed "
      "to read it.");
  line.option("prometheus", "URL", "where Prometheus answers", &url,
              "this cluster's, on its controller");
  line.option("html", "FILE", "write the page there; - is stdout", &file);
  line.option("minutes", "N", "show so many minutes", &minutes);
  line.example("slipway exec quickstart controller -- slipway metrics page > cluster.html",
               "the page of a local cluster with `monitoring: prometheus`");
  line.example("slipway metrics page --prometheus http://prometheus:9090 --html cluster.html",
               "from your own Prometheus");
  line.see_also("slipway-metrics-serve(1)");
  if (!line.parse(args)) return 0;
  if (minutes < 1 || minutes > 60 * 24 * 366) throw UsageError("--minutes is from 1 to 527040");
  const observe::Prometheus prometheus(url.empty() ? default_prometheus() : url);
  const auto now = static_cast<int64_t>(std::time(nullptr));
  write_result(file, page_text(observe::read_cluster(prometheus, now - minutes * 60, now)));
  return 0;
}

}  // namespace

int metrics(Args args) {
  static const Verb verb{
      "slipway metrics",
      "Print and serve metrics of nodes, GPUs, jobs and Slurm.",
      "The metrics are for Prometheus, and for every program that reads its text format. They "
      "contain no user's command line, environment or path.",
      {{"print", print_metrics},
       {"serve", serve_metrics},
       {"list", list_metrics},
       {"page", write_page}},
      {{"slipway metrics print", "all metrics of this node"},
       {"slipway metrics list", "what each metric means"}}};
  return run_part(verb, args);
}

}  // namespace slipway::commands
