// The pod template of a converted job.
#pragma once

#include <string>

#include "launcher/conversion/pods.h"
#include "launcher/conversion/yaml_writer.h"

namespace slipway::conversion {

struct PodLabels {
  std::string accelerator, machine;  // of machines
  std::string topology, level;       // an annotation of Kueue; may be empty
};

// Writes what is below `template:` of the Job.
void write_pod(YamlWriter& out, const Plan& plan, const PodTransport& transport,
               const PodLabels& labels);

}  // namespace slipway::conversion
