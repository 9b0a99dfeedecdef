// dcgmi discovery, health and nvlink.
#include <nlohmann/json.hpp>

#include "launcher/gpu_programs/dcgm.h"
#include "launcher/gpu_programs/fields.h"

namespace slipway::gpu_programs {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto discovery_rule =
    "+--------+----------------------------------------------------------------------+\n";
constexpr auto health_rule =
    "+---------------------------+----------------------------------------------------------+\n";

std::string device_rows(const Device& gpu) {
  const std::string name = gpu.handle == nullptr ? "N/A" : field_text(gpu, "name", "N/A");
  return fmt::format("| {:<6} | {:<68} |\n| {:<6} | {:<68} |\n| {:<6} | {:<68} |\n", gpu.index,
                     "Name: " + name, "", "PCI Bus ID: " + gpu.bus, "",
                     "Device UUID: " + (gpu.uuid.empty() ? "N/A" : gpu.uuid)) +
         discovery_rule;
}

const char* system_of(Part part) {
  switch (part) {
    case Part::memory:
      return "Memory system";
    case Part::pcie:
      return "PCIe system";
    case Part::nvlink:
      return "NVLink system";
    case Part::thermal:
      return "Thermal system";
    default:
      return "Driver system";
  }
}

const char* words_of(bool fails) {
  return fails ? "Failure" : "Warning";
}

std::string health_row(const std::string& left, const std::string& right) {
  constexpr size_t width = 56;
  std::string rows;
  for (size_t at = 0; at == 0 || at < right.size(); at += width) {
    rows += fmt::format("| {:<25} | {:<56} |\n", at == 0 ? left : "", right.substr(at, width));
  }
  return rows;
}

struct Health {
  const Device* gpu;
  std::vector<Finding> findings;
};

// The software's configuration is a matter of `diag`.
std::vector<Health> health_of(const std::vector<Device>& gpus) {
  std::vector<Health> all;
  for (const Device& gpu : gpus) {
    std::vector<Finding> findings = findings_of(gpu);
    std::erase_if(findings, [](const Finding& one) { return one.part == Part::software; });
    if (!findings.empty()) all.push_back({&gpu, std::move(findings)});
  }
  return all;
}

const char* overall(const std::vector<Finding>& findings) {
  const char* worst = "Healthy";
  for (const Finding& finding : findings) {
    if (finding.fails) return words_of(true);
    worst = words_of(false);
  }
  return worst;
}

const char* overall(const std::vector<Health>& all) {
  std::vector<Finding> findings;
  for (const Health& one : all) {
    findings.insert(findings.end(), one.findings.begin(), one.findings.end());
  }
  return overall(findings);
}

std::string health_json(const std::vector<Health>& all) {
  Json body = {{"Overall Health", {{"value", overall(all)}}}};
  for (const Health& one : all) {
    Json systems;
    for (const Finding& finding : one.findings) {
      systems[system_of(finding.part)]["value"] = words_of(finding.fails);
      systems[system_of(finding.part)]["errors"].push_back(finding.text);
    }
    body[fmt::format("GPU ID: {}", one.gpu->index)] = {{"value", overall(one.findings)},
                                                       {"children", systems}};
  }
  const Json report = {{"body", body}, {"header", Json::array({"Health Monitor Report"})}};
  return report.dump(2) + "\n";
}

std::string health_text(const std::vector<Health>& all) {
  std::string text = health_rule;
  text += fmt::format("| {:<84} |\n", "Health Monitor Report");
  text +=
      "+===========================+==========================================================+\n";
  text += health_row("Overall Health", overall(all));
  for (const Health& one : all) {
    text += health_row("GPU", "") +
            health_row(fmt::format("-> GPU ID {}", one.gpu->index), overall(one.findings));
    for (const Finding& finding : one.findings) {
      text += health_row(fmt::format("   -> {}", system_of(finding.part)), words_of(finding.fails));
      text += health_row("      -> Errors", finding.text);
    }
  }
  return text + health_rule;
}

}  // namespace

std::string discovery(const std::vector<Device>& gpus) {
  std::string text = fmt::format("{} GPU{} found.\n", gpus.size(), gpus.size() == 1 ? "" : "s");
  text += discovery_rule + fmt::format("| {:<6} | {:<68} |\n", "GPU ID", "Device Information") +
          discovery_rule;
  for (const Device& gpu : gpus) text += device_rows(gpu);
  return text + "0 NvSwitches found.\n0 ConnectX found.\n0 CPUs found.\n";
}

std::string health_report(const std::vector<Device>& gpus, bool json) {
  const std::vector<Health> all = health_of(gpus);
  return json ? health_json(all) : health_text(all);
}

std::string nvlink_status(const std::vector<Device>& gpus) {
  std::string text =
      "+----------------------+\n|  NvLink Link Status  |\n+----------------------+\nGPUs:\n";
  for (const Device& gpu : gpus) {
    text += fmt::format("    gpuId {}:\n       ", gpu.index);
    for (unsigned link = 0;; ++link) {
      const auto state =
          gpu.library->ask<nvmlEnableState_t>("nvmlDeviceGetNvLinkState", gpu.handle, link);
      if (!state) break;
      text += *state == NVML_FEATURE_ENABLED ? " U" : " D";
    }
    text += "\n";
  }
  return text +
         "NvSwitches:\n    No NvSwitches found.\n\nKey: Up=U, Down=D, Disabled=X, Not "
         "Supported=_\n";
}

}  // namespace slipway::gpu_programs
