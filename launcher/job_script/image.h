// The container image of a job's tasks.
#pragma once

#include <string>

#include "launcher/job_script/job.h"

namespace slipway::job_script {

struct StepImage {
  ShellValue asked;          // the value of --container-image; empty: the tasks have no container
  source::Span place;        // of the option
  std::string address;       // REGISTRY/IMAGE:TAG; empty for a file that no registry is known for
  std::string wrong;         // why there is no such address; otherwise empty
  source::Span imported_at;  // where the script makes the file from it; may be empty
};

// The image of a step: its own, or that of the whole job.
StepImage image_of(const JobScript& job, const JobStep& step);

// "nvcr.io/nvidia/nemo:25.09" for "docker://nvcr.io#nvidia/nemo:25.09". Throws Error if the text is
// not the address of an image in a registry.
std::string registry_address(const std::string& image);

}  // namespace slipway::job_script
