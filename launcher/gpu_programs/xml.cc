// nvidia-smi -q -x: the report as XML, which launch scripts search for tags.
#include <cctype>

#include "launcher/gpu_programs/report_lines.h"

namespace slipway::gpu_programs {
namespace {

// Where the tag is not the label in lower case with underscores.
struct Tag {
  const char* label;
  const char* tag;
};
constexpr Tag tags[] = {
    {"GPU UUID", "uuid"},
    {"Serial Number", "serial"},
    {"MIG Mode", "mig_mode"},
    {"Bus Id", "pci_bus_id"},
    {"Bus", "pci_bus"},
    {"Device", "pci_device"},
    {"Domain", "pci_domain"},
    {"GPU Link Info", "pci_gpu_link_info"},
    {"PCIe Generation", "pcie_gen"},
    {"Link Width", "link_widths"},
    {"Performance State", "performance_state"},
    {"Correctable Error", "remapped_row_corr"},
    {"Uncorrectable Error", "remapped_row_unc"},
    {"Remapping Failure Occurred", "remapped_row_failure"},
    {"GPU Current Temp", "gpu_temp"},
    {"Memory Current Temp", "memory_temp"},
    {"Current Power Limit", "current_power_limit"},
};

std::string tag_of(const ReportLine& line) {
  const std::string label = line.label;
  for (const Tag& one : tags) {
    if (label == one.label) return one.tag;
  }
  std::string tag;
  for (const char c : label) {
    tag += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  // These have the name of their section: <current_ecc>, <gpu_util>, <graphics_clock>.
  const std::string section = line.section;
  if (section == "CLOCK" && line.depth == 2) return tag + "_clock";
  if (section == "UTILIZATION" && line.depth == 2) return tag + "_util";
  if (section == "ECC" && std::string(line.field).starts_with("ecc.mode")) return tag + "_ecc";
  return tag;
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string element(size_t depth, const std::string& tag, const std::string& value) {
  return fmt::format("{}<{}>{}</{}>\n", std::string(depth, '\t'), tag, escaped(value), tag);
}

// Closes the open headings that are not above a line of this depth.
void close_down_to(size_t depth, std::vector<std::string>& open, std::string& text) {
  while (open.size() >= depth) {
    text += fmt::format("{}</{}>\n", std::string(open.size() + 1, '\t'), open.back());
    open.pop_back();
  }
}

std::string process_elements(const Device& gpu) {
  std::string text = "\t\t<processes>\n";
  for (const Process& process : processes_on(gpu)) {
    text += "\t\t\t<process_info>\n" + element(4, "pid", std::to_string(process.id)) +
            element(4, "type", "C") + element(4, "process_name", process.name) +
            element(4, "used_memory", fmt::format("{} MiB", process.bytes >> 20)) +
            "\t\t\t</process_info>\n";
  }
  return text + "\t\t</processes>\n";
}

std::string gpu_element(const Device& gpu) {
  std::string text = fmt::format("\t<gpu id=\"{}\">\n", gpu.bus);
  std::vector<std::string> open;
  for (const ReportLine& line : report_lines()) {
    const auto depth = static_cast<size_t>(line.depth);
    close_down_to(depth, open, text);
    if (std::string(line.section) == "PIDS") {
      text += process_elements(gpu);
    } else if (*line.field == '\0') {
      open.push_back(tag_of(line));
      text += fmt::format("{}<{}>\n", std::string(depth + 1, '\t'), open.back());
    } else {
      // Some lines below a value, such as those of "HW Slowdown", have no heading of their own.
      const size_t inside = open.size() + 2;
      text += element(inside, tag_of(line), value_of_line(gpu, line));
    }
  }
  close_down_to(1, open, text);
  return text + "\t</gpu>\n";
}

}  // namespace

std::string xml_report(const std::vector<Device>& gpus) {
  std::string text =
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n"
      "<nvidia_smi_log>\n";
  text += element(1, "timestamp", date_text());
  text += element(1, "driver_version", field_text(gpus.front(), "driver_version", "N/A"));
  text += element(1, "cuda_version", "N/A");
  text += element(1, "attached_gpus", field_text(gpus.front(), "count", "N/A"));
  for (const Device& gpu : gpus) text += gpu_element(gpu);
  return text + "</nvidia_smi_log>\n";
}

}  // namespace slipway::gpu_programs
