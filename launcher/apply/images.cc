// Removes images built by Packer.
#include "launcher/apply/images.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::apply {

bool is_removable(const Image& image) {
  return image.builder == "packer.googlecompute" && !image.name.empty();
}

std::string to_text(const Image& image) {
  return image.project.empty() ? image.name
                               : fmt::format("{} in the project {}", image.name, image.project);
}

void remove_image(Session& session, const std::string& group, const Image& image,
                  const std::filesystem::path& gcloud) {
  std::vector<std::string> words{gcloud.string(), "compute", "images", "delete", image.name};
  if (!image.project.empty()) words.push_back("--project=" + image.project);
  words.emplace_back("--quiet");
  const ChildResult result = session.run(group, words);
  if (result.ok() || result.errors.find("was not found") != std::string::npos) return;
  throw Error(fmt::format("cannot remove the image {}: {}", to_text(image), trim(result.errors)));
}

}  // namespace slipway::apply
