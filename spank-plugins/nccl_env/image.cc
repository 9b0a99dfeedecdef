// What a container image changed in a task's environment.
#include "spank-plugins/nccl_env/image.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "common/text.h"

namespace slipway::nccl_env {
namespace {

constexpr std::string_view origin = "image";
constexpr std::string_view library_path = "LD_LIBRARY_PATH", preload = "LD_PRELOAD";
// NVIDIA's images name the version that they contain in it; NCCL does not read it.
constexpr std::string_view only_information = "NCCL_VERSION";

std::optional<std::string> value_in(const Environment& environment, std::string_view name) {
  const auto found = environment.find(std::string(name));
  if (found == environment.end()) return std::nullopt;
  return found->second;
}

bool concerns_nccl(std::string_view name) {
  return (name.starts_with("NCCL_") && name != only_information) || name == preload;
}

// The variables that the image changed.
Environment changes(const Environment& job, const Environment& now) {
  Environment changed;
  for (const auto& [name, value] : now) {
    if (value_in(job, name) != value) changed.emplace(name, value);
  }
  return changed;
}

bool has_folder(const std::string& list, const std::string& folder) {
  const std::vector<std::string> folders = split(list, ':');
  return std::ranges::find(folders, folder) != folders.end();
}

// The first folder of the list that we set: the transport's own.
std::string first_folder(const std::string& list) {
  return list.substr(0, list.find(':'));
}

void restore(Decision& decision, const std::string& images) {
  decision.why += fmt::format("; the image has `{}`", images);
  if (decision.name == library_path && decision.value) {
    const std::string ours = first_folder(*decision.value);
    if (has_folder(images, ours)) {
      decision.value = first_folder(images) == ours ? images : ours + ":" + images;
    } else {
      decision.value = images.empty() ? ours : ours + ":" + images;
    }
  } else if (decision.action == Action::keep) {
    decision.action = decision.value ? Action::set : Action::unset;
  }
}

}  // namespace

Resolution under_image(const Resolution& decided, const Environment& job, const Environment& now) {
  Resolution resolution = decided;
  Environment changed = changes(job, now);
  for (Decision& decision : resolution.decisions) {
    const auto images = changed.extract(decision.name);
    if (images) restore(decision, images.mapped());
  }
  for (const auto& [name, value] : changed) {
    if (!concerns_nccl(name)) continue;
    const auto users = value_in(job, name);
    if (users) {
      resolution.decisions.push_back(
          {name, Action::set, users, "user", fmt::format("the image has `{}`", value), "", ""});
    } else {
      resolution.decisions.push_back(
          {name, Action::keep, value, std::string(origin), "set by the image alone", "", ""});
    }
  }
  return resolution;
}

std::vector<Finding> image_findings(const Resolution& resolution) {
  std::string names;
  for (const Decision& decision : resolution.decisions) {
    if (decision.origin != origin) continue;
    names += fmt::format("{}{}={}", names.empty() ? "" : ", ", decision.name,
                         decision.value.value_or(""));
  }
  if (names.empty()) return {};
  return {{fmt::format("the container image decides about {}: to choose yourself, export it in the "
                       "job",
                       names),
           false, true}};
}

std::vector<std::string> lost_to_image(const Resolution& resolution, const Environment& users,
                                       const Environment& seen) {
  std::vector<std::string> lost;
  const auto compare = [&](const std::string& name, const std::string& expected) {
    const std::string found = value_in(seen, name).value_or("");
    const bool holds = name == library_path ? has_folder(found, first_folder(expected))
                                            : value_in(seen, name) == expected;
    if (!holds) lost.push_back(fmt::format("{} is `{}`, not `{}`", name, found, expected));
  };
  for (const Decision& decision : resolution.decisions) {
    if (decision.action == Action::set && decision.value) compare(decision.name, *decision.value);
  }
  for (const auto& [name, value] : users) {
    const bool is_set =
        std::ranges::any_of(resolution.decisions, [&wanted = name](const Decision& each) {
          return each.name == wanted && each.action == Action::set;
        });
    if (!is_set) compare(name, value);
  }
  return lost;
}

}  // namespace slipway::nccl_env
