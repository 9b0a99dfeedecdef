// The container image of a job's tasks.
#include "launcher/job_script/image.h"

#include <algorithm>

namespace slipway::job_script {

std::string registry_address(std::string_view image) {
  for (const std::string_view scheme : {"docker://", "dockerd://"}) {
    if (image.starts_with(scheme)) image.remove_prefix(scheme.size());
  }
  if (image.empty() || image[0] == '.' || image[0] == '/' || image[0] == '~' ||
      image.ends_with(".sqsh") || image.ends_with(".squashfs")) {
    return {};
  }
  const size_t mark = image.find('#');
  const size_t user = image.find('@');
  if (user < std::min(mark, image.find('/'))) image.remove_prefix(user + 1);
  std::string address(image);
  std::ranges::replace(address, '#', '/');
  return address;
}

StepImage image_of(const JobScript& job, const JobStep& step) {
  StepImage image;
  const ScriptOption* option = step.find("container-image");
  if (option == nullptr) option = job.find("container-image");
  if (option == nullptr) return image;
  image.asked = option->value;
  image.place = option->place;
  for (const Import& import : job.walked.imports) {
    if (import.file.text != image.asked.text || !import.image.is_known()) continue;
    image.address = registry_address(import.image.text);
    image.imported_at = import.place;
    return image;
  }
  if (image.asked.is_known()) image.address = registry_address(image.asked.text);
  return image;
}

}  // namespace slipway::job_script
