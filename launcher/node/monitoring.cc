// Starts the services of a monitored cluster.
#include "launcher/node/monitoring.h"

#include <fmt/core.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "launcher/node/machine_services.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

constexpr const char* prometheus_user = "prometheus";
constexpr const char* prometheus_program = "/usr/bin/prometheus";
constexpr const char* prometheus_folder = "/etc/slipway/prometheus";
constexpr const char* prometheus_data = "/var/lib/slipway/prometheus";
constexpr const char* alerts_file = "/opt/slipway/share/slipway/blueprints/monitoring/alerts.yaml";
// What follow_monitoring last started, until the machine is off.
constexpr const char* mode_file = "/run/slipway/monitoring";
constexpr std::chrono::seconds scrape_in_cloud = 15s;
constexpr int tell_seconds = 10;
constexpr int admission_seconds = 5;

// The unit as images/ has it; without systemd, the same program.
Service prometheus_service(const std::string& listen_address) {
  return {{prometheus_program, fmt::format("--config.file={}/prometheus.yml", prometheus_folder),
           fmt::format("--storage.tsdb.path={}", prometheus_data),
           fmt::format("--web.listen-address={}", listen_address)},
          prometheus_user,
          fmt::format("{}/prometheus.log", log_folder),
          "slipway-prometheus.service"};
}

// Its files. Returns whether one has changed.
bool prepare_prometheus(const std::string& controller, const std::string& listen_address,
                        std::chrono::seconds scrape) {
  const std::filesystem::path folder = prometheus_folder;
  make_directories(folder, 0755);
  bool changed = write_changed(folder / "alerts.yaml", read_file(alerts_file));
  changed = write_changed(folder / "prometheus.yml",
                          prometheus_configuration(controller, folder.native(), scrape)) ||
            changed;
  // For the unit.
  changed = write_changed(folder / "listen", fmt::format("LISTEN={}\n", listen_address)) || changed;
  make_folder_for(prometheus_user, prometheus_data, 0750);
  return changed;
}

void start_prometheus(const NodeProfile& profile, std::chrono::seconds scrape) {
  const std::string& address = profile.network_interfaces.front().address;
  const std::string listen_address =
      fmt::format("{}:{}", address.substr(0, address.find('/')), prometheus_port);
  const bool changed = prepare_prometheus(profile.node, listen_address, scrape);
  run_service(
      prometheus_service(listen_address), [] { return listens(prometheus_port); },
      changed && has_systemd() ? IfRunning::restart : IfRunning::keep, 0s);
}

bool serves_metrics(const std::string& monitoring) {
  return monitoring == "metrics" || monitoring == "prometheus";
}

bool runs_prometheus(const std::string& monitoring, const std::string& role) {
  return monitoring == "prometheus" && role == "controller";
}

void start_with_interval(Service service, int seconds) {
  service.argv.insert(service.argv.end(), {"--interval", std::to_string(seconds)});
  run_service(service);
}

}  // namespace

std::string prometheus_configuration(const std::string& controller, const std::string& folder,
                                     std::chrono::seconds scrape) {
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
                     scrape.count(), folder, controller, metrics_port);
}

void start_monitoring(const std::string& monitoring, const NodeProfile& profile,
                      std::chrono::seconds scrape) {
  if (!serves_metrics(monitoring)) return;
  run_service(
      metrics_service(scrape), [] { return listens(metrics_port); }, IfRunning::keep, 0s);
  if (runs_prometheus(monitoring, profile.role)) start_prometheus(profile, scrape);
}

bool follow_monitoring(const std::string& monitoring, const NodeProfile& profile) {
  const std::string before = std::filesystem::exists(mode_file) ? read_file(mode_file) : "none";
  const bool runs = (!serves_metrics(monitoring) || listens(metrics_port)) &&
                    (!runs_prometheus(monitoring, profile.role) || listens(prometheus_port));
  if (before == monitoring && runs) return false;
  write_file(mode_file, monitoring);
  start_monitoring(monitoring, profile, scrape_in_cloud);
  if (runs_prometheus(before, profile.role) && !runs_prometheus(monitoring, profile.role))
    end_unit(prometheus_service("").unit);
  if (serves_metrics(before) && !serves_metrics(monitoring))
    end_unit(metrics_service(scrape_in_cloud).unit);
  return before != monitoring;
}

void take_monitoring(const std::string& monitoring, const Say& say) {
  if (follow_monitoring(monitoring, load_node_profile()))
    say(fmt::format("monitoring is now `{}`", monitoring));
}

void start_admission() {
  start_with_interval(admitter_service(), admission_seconds);
}

void start_telling() {
  start_with_interval(teller_service(), tell_seconds);
}

}  // namespace slipway::node
