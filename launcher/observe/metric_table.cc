// The list of metrics.
#include "launcher/observe/metric_table.h"

#include <algorithm>

namespace slipway::observe {
namespace {

using enum MetricType;

constexpr Metric metrics[] = {
    {"slipway_build_info", gauge, "The version of Slipway that serves these metrics; always 1",
     "version"},
    // a node
    {"slipway_node_info", gauge, "What the deployer made of the node; always 1",
     "node role machine_type target"},
    {"slipway_node_fit", gauge, "1 if a job may start on the node by its last health check, else 0",
     "node"},
    {"slipway_node_action", gauge, "1 for the action that the last health check calls for",
     "node action"},
    {"slipway_node_finding", gauge, "1 for each finding of the last health check that matters",
     "node finding device action"},
    {"slipway_node_xid", gauge, "1 for each Xid that the last health check lists",
     "node device xid"},
    {"slipway_node_check_timestamp_seconds", gauge, "When the node was last checked", "node"},
    {"slipway_node_jobs", gauge, "Jobs on the node, from prolog to epilog", "node"},
    {"slipway_node_service_up", gauge, "1 if the service runs on the node, else 0", "node service"},
    {"slipway_nccl_transport_info", gauge,
     "The transport that nccl_env recommends on the node, and its versions; always 1",
     "node transport nccl plugin daemon"},
    {"slipway_nccl_transport_fallback", gauge,
     "1 if the node lacks its transport's libraries, so that NCCL falls back to sockets", "node"},
    // GPUs
    {"slipway_gpus", gauge, "GPUs that NVML sees on the node", "node"},
    {"slipway_gpus_expected", gauge, "GPUs that the node's machine type has", "node"},
    {"slipway_nvml_up", gauge, "1 if NVML answers in time, else 0", "node"},
    {"slipway_gpu_info", gauge, "What NVML calls the GPU; always 1", "node gpu uuid model bus"},
    {"slipway_gpu_up", gauge, "1 if NVML can read the GPU, 0 if it is lost", "node gpu"},
    {"slipway_gpu_temperature_celsius", gauge, "The GPU's temperature", "node gpu"},
    {"slipway_gpu_power_watts", gauge, "Power that the GPU draws now", "node gpu"},
    {"slipway_gpu_power_limit_watts", gauge, "The most power that the GPU may draw", "node gpu"},
    {"slipway_gpu_energy_joules_total", counter,
     "Energy that the GPU used since its driver was loaded", "node gpu"},
    {"slipway_gpu_utilization_ratio", gauge,
     "Part of the last second in which a kernel ran on the GPU", "node gpu"},
    {"slipway_gpu_memory_used_bytes", gauge, "Memory of the GPU in use", "node gpu"},
    {"slipway_gpu_memory_bytes", gauge, "Memory that the GPU has", "node gpu"},
    {"slipway_gpu_sm_clock_hertz", gauge, "Clock of the GPU's multiprocessors", "node gpu"},
    {"slipway_gpu_throttled", gauge, "1 if heat or the power supply lowers the clocks, else 0",
     "node gpu"},
    {"slipway_gpu_ecc_uncorrected_errors_total", counter,
     "Uncorrectable memory errors since the driver was loaded", "node gpu"},
    {"slipway_gpu_ecc_corrected_errors_total", counter,
     "Corrected memory errors since the driver was loaded", "node gpu"},
    {"slipway_gpu_remapped_rows_pending", gauge, "Memory rows that a reset will remap", "node gpu"},
    {"slipway_gpu_remap_failed", gauge, "1 if a memory row could not be remapped, else 0",
     "node gpu"},
    {"slipway_gpu_retired_pages", gauge, "Memory pages that are retired", "node gpu"},
    {"slipway_gpu_nvlinks", gauge, "NVLinks that the GPU has", "node gpu"},
    {"slipway_gpu_nvlinks_up", gauge, "NVLinks that are up", "node gpu"},
    {"slipway_gpu_pcie_lanes", gauge, "PCIe lanes in use", "node gpu"},
    {"slipway_gpu_pcie_generation", gauge, "PCIe generation in use", "node gpu"},
    {"slipway_gpu_pcie_replays_total", counter, "PCIe packets that were sent again", "node gpu"},
    {"slipway_gpu_processes", gauge, "Processes that use the GPU", "node gpu"},
    {"slipway_gpu_job", gauge, "1 for the job that Slurm gave the GPU", "node gpu job"},
    // jobs under `slipway launch`
    {"slipway_job_heartbeat_timestamp_seconds", gauge, "When the job's launcher last reported",
     "job"},
    {"slipway_job_attempts", gauge, "Attempts of the job, over all requeues", "job"},
    {"slipway_job_requeues", gauge, "How often the job was requeued", "job"},
    {"slipway_job_step", gauge, "The last step that the program reported", "job"},
    {"slipway_job_steps_kept", gauge, "Steps that were kept", "job"},
    {"slipway_job_steps_lost", gauge, "Steps that had to be repeated", "job"},
    {"slipway_job_nodes", gauge, "Nodes that the job's attempt runs on", "job"},
    {"slipway_job_spare_nodes", gauge, "Spare nodes that are left", "job"},
    {"slipway_job_blamed_nodes", gauge, "Nodes that were blamed for failures", "job"},
    {"slipway_job_failures", gauge, "Failures of the job, by who was blamed", "job blame"},
    {"slipway_job_goodput_ratio", gauge,
     "Part of the job's time that went into steps that were kept", "job"},
    {"slipway_job_goodput_seconds", gauge, "Time that went into steps that were kept", "job"},
    {"slipway_job_badput_seconds", gauge,
     "The rest of the job's time, in the terms of ml-goodput-measurement", "job type"},
    {"slipway_job_gpu_energy_joules", gauge,
     "Energy that the job's GPUs used in attempts that have ended", "job"},
    // Slurm, read once for all
    {"slipway_slurm_up", gauge, "1 if slurmctld answered the last time, else 0", ""},
    {"slipway_slurm_read_timestamp_seconds", gauge, "When Slurm's state was last read", ""},
    {"slipway_slurm_read_seconds", gauge, "How long the last reading of Slurm's state took", ""},
    {"slipway_slurm_nodes", gauge, "Nodes of a partition in a state", "partition state"},
    {"slipway_slurm_node_state", gauge, "1 for the state that a node has in Slurm", "node state"},
    {"slipway_slurm_node_drained_by", gauge,
     "1 if a node is drained, by who did it: slipway, slurm or other", "node by"},
    {"slipway_slurm_jobs", gauge, "Jobs of a partition in a state", "partition state"},
    {"slipway_slurm_job_info", gauge, "A running job; always 1", "job user account partition"},
    {"slipway_slurm_job_nodes", gauge, "Nodes of a running job", "job"},
    {"slipway_slurm_job_start_timestamp_seconds", gauge, "When a running job started", "job"},
    // bandwidth tests
    {"slipway_bandwidth_bus_bytes_per_second", gauge,
     "Bus bandwidth of the largest size in the last recorded test", "collective nodes ranks"},
    {"slipway_bandwidth_timestamp_seconds", gauge, "When that test ran", "collective nodes ranks"},
};

}  // namespace

std::string_view name_of(MetricType type) {
  return type == counter ? "counter" : "gauge";
}

std::span<const Metric> metric_table() {
  return metrics;
}

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == std::end(metrics) ? nullptr : found;
}

}  // namespace slipway::observe
