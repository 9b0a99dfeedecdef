// nvidia-smi -q: everything about each GPU, in the sections that scripts read.
#include <algorithm>
#include <cctype>

#include "launcher/gpu_programs/report_lines.h"
#include "launcher/gpu_programs/views.h"

namespace slipway::gpu_programs {
namespace {

constexpr size_t colon_at = 42;

std::string line(int depth, const std::string& label, const std::string& value) {
  return fmt::format("{:<{}}: {}\n", std::string(static_cast<size_t>(depth) * 4, ' ') + label,
                     colon_at, value);
}

std::string process_lines(const Device& gpu) {
  std::string text;
  for (const Process& process : processes_on(gpu)) {
    text += line(2, "Process ID", std::to_string(process.id)) + line(3, "Type", "C") +
            line(3, "Name", process.name) +
            line(3, "Used GPU Memory", fmt::format("{} MiB", process.bytes >> 20));
  }
  return text.empty() ? line(1, "Processes", "None") : fmt::format("    Processes\n{}", text);
}

bool is_wanted(const ReportLine& one, const std::vector<std::string>& sections) {
  return sections.empty() || std::ranges::find(sections, one.section) != sections.end();
}

std::string report_of(const Device& gpu, const std::vector<std::string>& sections) {
  std::string text = fmt::format("GPU {}\n", gpu.bus);
  for (const ReportLine& one : report_lines()) {
    if (!is_wanted(one, sections)) continue;
    if (std::string(one.section) == "PIDS") {
      text += process_lines(gpu);
    } else if (*one.field == '\0') {
      text += std::string(static_cast<size_t>(one.depth) * 4, ' ') + one.label + "\n";
    } else {
      text += line(one.depth, one.label, value_of_line(gpu, one));
    }
  }
  return text + "\n";
}

std::vector<std::string> sections_of_report(const std::string& display) {
  std::vector<std::string> sections = split_list(display);
  for (std::string& section : sections) {
    std::ranges::transform(section, section.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const bool exists = std::ranges::any_of(report_lines(), [&](const ReportLine& one) {
      return !section.empty() && section == one.section;
    });
    if (!exists) not_covered("nvidia-smi", "-q -d " + section);
  }
  return sections;
}

}  // namespace

std::string report(const std::vector<Device>& gpus, const std::string& display) {
  const std::vector<std::string> sections = sections_of_report(display);
  std::string text = "\n==============NVSMI LOG==============\n\n";
  text += line(0, "Timestamp", date_text());
  text += line(0, "Driver Version", field_text(gpus.front(), "driver_version", "N/A"));
  text += line(0, "CUDA Version", "N/A") + "\n";
  text += line(0, "Attached GPUs", field_text(gpus.front(), "count", "N/A"));
  for (const Device& gpu : gpus) text += report_of(gpu, sections);
  return text;
}

}  // namespace slipway::gpu_programs
