// The container image of a job's tasks.
#include "launcher/job_script/image.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/image_address.h"

namespace slipway::job_script {

namespace {

bool is_file(std::string_view image) {
  return image.empty() || image[0] == '.' || image[0] == '/' || image[0] == '~' ||
         image.ends_with(".sqsh") || image.ends_with(".squashfs");
}

// Reads what the script asks for, as its tasks would.
void take_address(const std::string& text, StepImage& image) {
  if (is_file(text)) return;
  try {
    image.address = registry_address(text);
  } catch (const Error& error) {
    image.wrong = error.what();
  }
}

}  // namespace

std::string registry_address(const std::string& image) {
  constexpr std::string_view daemon = "dockerd://";  // of a machine, but the image has this name
  const bool has_scheme = image.find("://") != image.npos;
  const ImageAddress address =
      parse_address(image.starts_with(daemon) ? "docker://" + image.substr(daemon.size())
                    : has_scheme              ? image
                                              : "docker://" + image);
  if (address.kind != ImageAddress::Kind::registry) {
    throw Error(fmt::format("`{}` is not an image of a registry", image));
  }
  const bool is_usual = address.registry == usual_registry;
  return (is_usual ? "" : address.registry + "/") + address.image + address.tag;
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
    take_address(import.image.text, image);
    image.imported_at = import.place;
    return image;
  }
  if (image.asked.is_known()) take_address(image.asked.text, image);
  return image;
}

}  // namespace slipway::job_script
