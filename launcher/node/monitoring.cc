// Starts the services of a monitored cluster.
#include "launcher/node/monitoring.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/file.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

// The network is open to it and it reads only what everyone may read.
constexpr const char* metrics_user = "nobody";
constexpr const char* prometheus_user = "prometheus";
constexpr const char* prometheus_program = "/usr/bin/prometheus";
constexpr const char* prometheus_folder = "/etc/slipway/prometheus";
constexpr const char* prometheus_data = "/var/lib/slipway/prometheus";
constexpr const char* alerts_file = "/opt/slipway/share/slipway/blueprints/monitoring/alerts.yaml";
constexpr int scrape_seconds = 5;
constexpr int slurm_seconds = 15;
constexpr int tell_seconds = 10;
constexpr int admission_seconds = 5;

void serve_node_metrics() {
  run_service(
      {{"/opt/slipway/libexec/slipway/serve-metrics", "--interval", std::to_string(scrape_seconds),
        "--slurm-interval", std::to_string(slurm_seconds)},
       metrics_user,
       fmt::format("{}/metrics.log", log_folder),
       "slipway-metrics.service"},
      [] { return listens(metrics_port); }, IfRunning::keep, 0s);
}

void start_prometheus(const NodeProfile& profile) {
  const std::filesystem::path folder = prometheus_folder;
  make_directories(folder);
  write_file(folder / "alerts.yaml", read_file(alerts_file));
  write_file(folder / "prometheus.yml", prometheus_configuration(profile.node, folder.native()));
  make_folder_for(prometheus_user, prometheus_data, 0750);
  const std::string& address = profile.network_interfaces.front().address;
  run_service(
      {{prometheus_program, fmt::format("--config.file={}/prometheus.yml", folder.native()),
        fmt::format("--storage.tsdb.path={}", prometheus_data),
        fmt::format("--web.listen-address={}:{}", address.substr(0, address.find('/')),
                    prometheus_port)},
       prometheus_user,
       fmt::format("{}/prometheus.log", log_folder),
       "prometheus.service"},
      [] { return listens(prometheus_port); }, IfRunning::keep, 0s);
}

}  // namespace

std::string prometheus_configuration(const std::string& controller, const std::string& folder) {
  // honor_labels: a metric's own label `node` wins, as the controller has metrics of all nodes.
  return fmt::format(R"(global:
  scrape_interval: {0}s
  scrape_timeout: {0}s
  evaluation_interval: {0}s
rule_files: ["{1}/alerts.yaml"]
scrape_configs:
- job_name: slipway
  honor_labels: true
  static_configs: [{{targets: ["{2}:{3}"]}}]
  http_sd_configs: [{{url: "http://{2}:{3}/targets", refresh_interval: {0}s}}]
  relabel_configs:
  - {{source_labels: [__address__], regex: "([^:]+):.*", target_label: node}}
)",
                     scrape_seconds, folder, controller, metrics_port);
}

void start_monitoring(const std::string& monitoring, const NodeProfile& profile) {
  if (monitoring != "metrics" && monitoring != "prometheus") return;
  serve_node_metrics();
  if (monitoring == "prometheus" && profile.role == "controller") start_prometheus(profile);
}

void start_admission() {
  run_service(
      {{"/opt/slipway/libexec/slipway/serve-admission", "--interval",
        std::to_string(admission_seconds)},
       "root",
       fmt::format("{}/admission.log", log_folder),
       "slipway-admission.service"},
      [] { return false; }, IfRunning::keep, 0s);
}

void start_telling() {
  run_service(
      {{"/opt/slipway/libexec/slipway/serve-tell", "--interval", std::to_string(tell_seconds)},
       "root",
       fmt::format("{}/tell.log", log_folder),
       "slipway-tell.service"},
      [] { return false; }, IfRunning::keep, 0s);
}

}  // namespace slipway::node
