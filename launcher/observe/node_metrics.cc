// Reads a node and turns it into metrics.
#include "launcher/observe/node_metrics.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/json.h"
#include "common/transport_stock.h"
#include "launcher/health/gpu_jobs.h"
#include "launcher/health/gpus.h"
#include "launcher/health/history.h"
#include "launcher/health/report.h"
#include "launcher/health/slots.h"
#include "launcher/node/services.h"
#include "launcher/observe/child_text.h"
#include "launcher/observe/gpu_metrics.h"
#include "launcher/observe/job_metrics.h"

namespace slipway::observe {
namespace {

namespace fs = std::filesystem;
using health::Action;

constexpr auto nvml_limit = std::chrono::seconds(5);
constexpr size_t largest_verdict = 4 << 20;
constexpr Action all_actions[] = {Action::none,  Action::note,   Action::degrade,
                                  Action::drain, Action::reboot, Action::replace};

void add_services(MetricSet& set, const NodeProfile& profile) {
  const auto put = [&](const char* service, bool is_up) {
    set.add("slipway_node_service_up", {{"node", profile.node}, {"service", service}},
            is_up ? 1 : 0);
  };
  put("munged", node::listens(node::munge_socket));
  if (profile.role == "controller") put("slurmctld", node::listens(node::slurmctld_port));
  if (profile.role == "compute") put("slurmd", node::listens(node::slurmd_port));
}

void add_transport(MetricSet& set, const NodeProfile& profile) {
  if (profile.role != "compute") return;
  const NodeProfile::Transport& transport = profile.transport;
  const TransportStock stock = load_transport_stock().value_or(TransportStock());
  set.add("slipway_nccl_transport_info",
          {{"node", profile.node},
           {"transport", transport.name},
           {"nccl", stock.nccl},
           {"plugin", stock.plugin},
           {"daemon", stock.daemon}},
          1);
  bool lacks = false;
  for (const std::string& name : transport.libraries.names) {
    lacks = lacks || !fs::exists(fs::path(transport.libraries.folder) / name);
  }
  set.add("slipway_nccl_transport_fallback", {{"node", profile.node}}, lacks ? 1 : 0);
}

std::string gpu_text(const NodeProfile& profile) {
  MetricSet set;
  const health::Gpus gpus = health::read_gpus([](const std::string&) {});
  set.add("slipway_nvml_up", {{"node", profile.node}}, gpus.error.empty() ? 1 : 0);
  if (gpus.error.empty()) add_gpus(set, profile.node, gpus);
  return set.text();
}

}  // namespace

void add_verdict(MetricSet& set, const std::string& node, const fs::path& file) {
  struct stat info = {};
  if (::stat(file.c_str(), &info) != 0) return;
  health::ReportedNode verdict;
  try {
    verdict = health::reported_node(parse_json(read_regular_file(file, largest_verdict)));
  } catch (const Error&) {
    return;  // of another version of Slipway
  }
  set.add("slipway_node_fit", {{"node", node}}, verdict.is_fit() ? 1 : 0);
  set.add("slipway_node_check_timestamp_seconds", {{"node", node}},
          static_cast<double>(info.st_mtime));
  for (const Action action : all_actions) {
    set.add("slipway_node_action",
            {{"node", node}, {"action", std::string(health::name_of(action))}},
            verdict.action == action ? 1 : 0);
  }
  for (const health::ReportedFinding& finding : verdict.findings) {
    if (finding.action == Action::none) continue;
    set.add("slipway_node_finding",
            {{"node", node},
             {"finding", finding.kind},
             {"device", finding.device},
             {"action", std::string(health::name_of(finding.action))}},
            1);
    if (finding.xid == 0) continue;
    set.add("slipway_node_xid",
            {{"node", node}, {"device", finding.device}, {"xid", std::to_string(finding.xid)}}, 1);
  }
}

std::string node_metrics(const NodeProfile& profile) {
  const std::string& node = profile.node;
  MetricSet set;
  set.add("slipway_build_info", {{"version", SLIPWAY_VERSION}}, 1);
  set.add("slipway_node_info",
          {{"node", node},
           {"role", profile.role},
           {"machine_type", profile.machine_type},
           {"target", profile.target}},
          1);
  add_verdict(set, node, fs::path(health::state_folder) / "last.json");
  add_services(set, profile);
  add_transport(set, profile);
  add_jobs(set, node, health::job_states_folder);
  std::string gpus;
  if (profile.gpus.count > 0) {
    set.add("slipway_gpus_expected", {{"node", node}}, static_cast<double>(profile.gpus.count));
    add_gpu_jobs(set, node, health::gpu_jobs_folder);
    const auto text = text_of_child([&] { return gpu_text(profile); }, nvml_limit);
    if (!text) set.add("slipway_nvml_up", {{"node", node}}, 0);
    gpus = text.value_or("");
  }
  return set.text() + gpus;
}

}  // namespace slipway::observe
