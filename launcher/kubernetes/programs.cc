// Finds objects whose kind the cluster does not know.
#include "launcher/kubernetes/programs.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::kubernetes {
namespace {

using expression::Value;

// Whether a blueprint makes a cluster without the program, and surely does not install it.
bool is_missing(blueprint::Evaluation& evaluation, const Program& program) {
  bool makes_cluster = false;
  for (const blueprint::Group& group : evaluation.deployment().groups) {
    for (const blueprint::Module& module : group.modules) {
      if (module.interface == nullptr) continue;
      makes_cluster = makes_cluster || module.interface->path == program.absent_in;
      if (module.interface->path != program.module) continue;
      const auto* setting = evaluation.input(module, program.setting).as<Value::Object>();
      const auto install =
          setting == nullptr ? Value::Object::const_iterator() : setting->find("install");
      if (setting == nullptr || install == setting->end() || install->second == Value(true) ||
          install->second.is_unknown())
        return false;
    }
  }
  return makes_cluster;
}

// Whether a manifest defines kinds of the group.
bool defines_kinds(const std::vector<Object>& objects, const Program& program) {
  return std::ranges::any_of(objects, [&](const Object& object) {
    return object.kind == "CustomResourceDefinition" && object.name.ends_with("." + program.group);
  });
}

}  // namespace

void check_programs(blueprint::Evaluation& evaluation, const std::vector<Object>& objects,
                    const std::vector<Program>& programs, source::Diagnostics& diagnostics) {
  for (const Program& program : programs) {
    const auto first = std::ranges::find_if(
        objects, [&](const Object& object) { return object.api.starts_with(program.group + "/"); });
    if (first == objects.end() || defines_kinds(objects, program) ||
        !is_missing(evaluation, program))
      continue;
    const source::Node* api = first->root.find("apiVersion");
    diagnostics
        .warning(source::Code::rule_broken, api->span,
                 fmt::format("the blueprint applies a {}, but does not install {}", first->kind,
                             program.name))
        .help(fmt::format("set `{}: {{install: true}}`, or its new cluster does not know the kind",
                          program.setting));
  }
}

}  // namespace slipway::kubernetes
