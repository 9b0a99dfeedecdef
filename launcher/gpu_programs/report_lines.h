// What `nvidia-smi -q` reports about a GPU, as text and as XML.
#pragma once

#include <span>
#include <string>

#include "launcher/gpu_programs/fields.h"

namespace slipway::gpu_programs {

struct ReportLine {
  int depth;
  const char* label;
  const char* field;    // of gpu_fields(); empty for a heading
  const char* section;  // of -d; empty for what only the full report has
};

std::span<const ReportLine> report_lines();

// Of a line with a field.
std::string value_of_line(const Device& gpu, const ReportLine& one);

// -q -x
std::string xml_report(const std::vector<Device>& gpus);

}  // namespace slipway::gpu_programs
