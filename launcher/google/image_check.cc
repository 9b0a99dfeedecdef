// Compares the images of a cluster's machines with what their machine types need.
#include "launcher/google/image_check.h"

#include <fmt/core.h>

#include "common/text.h"
#include "launcher/cluster/model_part.h"
#include "launcher/modules/becomes.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Value;
using source::Code;

constexpr const char* machine_type_input = "machine_type";
constexpr const char* image_input = "instance_image";

// Only machines of a Slurm cluster need an image with Slipway; their modules have this input.
bool is_of_cluster(const Module& module) {
  return module.interface != nullptr && module.interface->resources &&
         modules::toolkit_module(*module.interface) == nullptr &&
         module.interface->input("instance_image_custom") != nullptr;
}

std::string known_text(const Value& value) {
  const auto* text = value.as<std::string>();
  return text == nullptr ? "" : *text;
}

struct Image {
  std::string project, name;  // of the family or the image; empty: not known
  std::string family;
};

class ImageCheck {
 public:
  ImageCheck(const ImageTable& table, blueprint::Evaluation& evaluation,
             source::Diagnostics& diagnostics)
      : table_(table), evaluation_(evaluation), diagnostics_(diagnostics) {}

  // Families that a publisher of images does not have, and slips in the publisher's name.
  void check_family(const Module& module) {
    if (module.interface == nullptr || module.interface->input(image_input) == nullptr) return;
    if (!module.settings.contains(image_input)) return;
    const Image image = read(evaluation_.input(module, image_input));
    if (image.project.empty() || image.family.empty()) return;
    const auto known = table_.publishers.find(image.project);
    if (known == table_.publishers.end()) return slip(module, image);
    if (known->second.has_family(image.family)) return;
    diagnostics_
        .error(Code::rule_broken, cluster::place_of(module, image_input, "family"),
               fmt::format("module `{}`: `{}` has no image family `{}`", module.id, image.project,
                           image.family))
        .help(fmt::format("its families have names such as `{}`", known->second.like));
  }

  // Your own project may be named like a publisher's, so this is a warning.
  void slip(const Module& module, const Image& image) {
    constexpr size_t most_slips = 2;
    for (const auto& [project, publisher] : table_.publishers) {
      if (!publisher.has_family(image.family)) continue;
      if (edit_distance(project, image.project) > most_slips) continue;
      diagnostics_
          .warning(Code::rule_broken, cluster::place_of(module, image_input, "project"),
                   fmt::format("module `{}`: `{}` is not a publisher of images", module.id,
                               image.project))
          .help(fmt::format("did you mean `{}`?", project));
      return;
    }
  }

  void check(const Module& module) {
    const std::string type = known_text(evaluation_.input(module, machine_type_input));
    const ImageOfMachine* needed = type.empty() ? nullptr : table_.of(type);
    if (needed == nullptr) return;
    const Image image = image_of(module);
    if (image.name.empty()) {
      warn_of_lack(module, type, *needed);
    } else if (const auto ours = table_.made_by_us(image.name)) {
      const std::vector<std::string> missing = missing_in(*ours, *needed);
      if (missing.empty()) return warn_of_lack(module, type, *needed);
      warn(module, image_input,
           fmt::format("the image `{}` lacks what `{}` needs: {}", image.name, type,
                       join(missing, ", ")),
           *needed);
    } else if (is_base(image)) {
      warn(module, image_input,
           fmt::format("the image `{}` has no Slurm and no Slipway", image.name), *needed);
    }
  }

 private:
  // What an image setting says.
  Image read(const Value& value) const {
    Image found;
    const auto* image = value.as<Value::Object>();
    if (image == nullptr) return found;
    for (const auto& [key, value] : *image) {
      if (key == "project") found.project = known_text(value);
      if (key == "family") found.family = known_text(value);
      if (key == "name" || (key == "family" && found.name.empty())) found.name = known_text(value);
    }
    return found;
  }

  // The image that the blueprint asks for; empty if it is the default, or one that modules replace
  // by ours.
  Image image_of(const Module& module) {
    if (!module.settings.contains(image_input)) return {};
    Image found = read(evaluation_.input(module, image_input));
    if (found.project == "schedmd-slurm-public" || found.name.starts_with("slurm-gcp-")) return {};
    return found;
  }

  // What an image of ours would have to have.
  std::vector<std::string> missing_in(const ImageOfMachine& ours, const ImageOfMachine& needed) {
    const ImageBase& has = table_.bases.at(ours.base);
    const auto wanted = table_.bases.find(needed.base);
    std::vector<std::string> missing;
    if (wanted == table_.bases.end()) return missing;
    if (has.architecture != wanted->second.architecture) {
      missing.push_back(fmt::format("it is built for {}", has.architecture));
    }
    if (wanted->second.has_driver && !has.has_driver) missing.push_back("NVIDIA's driver");
    // The transport that works everywhere needs nothing in an image.
    const auto everywhere = table_.machines.empty() ? "" : table_.machines.back().transport;
    if (needed.transport != everywhere && needed.transport != ours.transport) {
      missing.push_back(fmt::format("the transport {}", needed.transport));
    }
    return missing;
  }

  bool is_base(const Image& image) const {
    for (const auto& [name, base] : table_.bases) {
      if (base.project == image.project) return true;
    }
    return false;
  }

  void warn_of_lack(const Module& module, const std::string& type, const ImageOfMachine& needed) {
    if (needed.lacks.empty()) return;
    warn(module, machine_type_input,
         fmt::format("no image of Slipway has all that `{}` needs", type), needed);
  }

  void warn(const Module& module, const char* input, const std::string& message,
            const ImageOfMachine& needed) {
    diagnostics_
        .warning(Code::rule_broken, cluster::place_of(module, input),
                 fmt::format("module `{}`: {}", module.id, message))
        .help(fmt::format("its image family is `{}`{}{}",
                          table_.family(needed.transport, needed.base),
                          needed.lacks.empty() ? "" : ", which lacks ", needed.lacks));
  }

  const ImageTable& table_;
  blueprint::Evaluation& evaluation_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_images(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                  const ImageTable& table, source::Diagnostics& diagnostics) {
  ImageCheck check(table, evaluation, diagnostics);
  for (const blueprint::Group& group : deployment.groups) {
    for (const Module& module : group.modules) {
      check.check_family(module);
      if (is_of_cluster(module)) check.check(module);
    }
  }
}

}  // namespace slipway::google
