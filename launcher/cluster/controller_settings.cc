// Reads a controller's Slurm settings.
#include "launcher/cluster/controller_settings.h"

#include <fmt/core.h>

#include <string>

#include "common/text.h"
#include "launcher/cluster/slurm_line.h"
#include "launcher/cluster/slurm_overrides.h"
#include "launcher/cluster/template_file.h"

namespace slipway::cluster {
namespace {

using source::Code;

class SettingsReader {
 public:
  SettingsReader(const ModelPart& part, const blueprint::Deployment& deployment,
                 source::Diagnostics& diagnostics)
      : part_(part), deployment_(deployment), diagnostics_(diagnostics) {}

  // The lines of a template whose path, or whose text, an input has.
  std::map<std::string, std::string> settings_of(std::string_view input, bool is_path,
                                                 const std::vector<std::string>& fixed) {
    const std::string value = part_.has(input) ? part_.text(input) : "";
    if (value.empty()) return {};
    const auto text = is_path ? read(value, input) : value;
    if (!text) return {};
    Template read = read_template(*text, fixed);
    for (const std::string& problem : read.problems) {
      diagnostics_.error(Code::no_model, part_.place(input),
                         fmt::format("`{}` of module `{}`: {}", input, part_.module().id, problem));
    }
    if (!read.not_used.empty()) {
      diagnostics_
          .warning(
              Code::setting_without_effect, part_.place(input),
              fmt::format("`{}` in `{}` of module `{}` {} no effect", join(read.not_used, "`, `"),
                          input, part_.module().id, read.not_used.size() == 1 ? "has" : "have"))
          .help("these lines follow from the cluster");
    }
    return std::move(read.settings);
  }

  std::map<std::string, std::string> parameters() {
    if (!part_.has("slurm_conf")) return {};
    std::map<std::string, std::string> settings = part_.text_map("slurm_conf");
    for (const auto& [key, value] : settings) {
      const std::string problem = override_problem(key, value, {});
      if (problem.empty()) continue;
      diagnostics_.error(
          Code::no_model, part_.place("cloud_parameters"),
          fmt::format("`cloud_parameters` of module `{}`: {}", part_.module().id, problem));
    }
    return settings;
  }

  // By "KIND.d/NUMBER-NAME", so that they run in the order of the blueprint.
  std::map<std::string, std::string> scripts() {
    std::map<std::string, std::string> scripts;
    for (const std::string kind : {"prolog", "epilog", "task_prolog", "task_epilog"}) {
      const std::string input = kind + "_scripts";
      if (!part_.has(input)) continue;
      scripts.merge(part_.text_map(input));
      for (const auto& [name, path] : part_.text_map(kind + "_files")) {
        if (auto text = read(path, input)) scripts.emplace(name, std::move(*text));
      }
    }
    return scripts;
  }

 private:
  std::optional<std::string> read(const std::string& path, std::string_view input) {
    return read_named_file(path, part_.module(), deployment_, part_.place(input), diagnostics_);
  }

  const ModelPart& part_;
  const blueprint::Deployment& deployment_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void read_slurm_settings(const ModelPart& part, const blueprint::Deployment& deployment,
                         source::Diagnostics& diagnostics, Controller& controller) {
  SettingsReader reader(part, deployment, diagnostics);
  const auto boolean = [&](std::string_view field) {
    return part.has(field) && part.boolean(field);
  };
  controller.slurm_conf = reader.parameters();
  // `cloud_parameters` comes first, as in Cluster Toolkit, whose template includes its file last.
  controller.slurm_conf.merge(reader.settings_of("slurm_conf_tpl", true, fixed_settings));
  controller.slurm_conf.merge(reader.settings_of("slurm_conf_template", false, fixed_settings));
  controller.cgroup_conf = reader.settings_of("cgroup_conf_tpl", true, {});
  controller.slurmdbd_conf = reader.settings_of("slurmdbd_conf_tpl", true, fixed_slurmdbd_settings);
  controller.lists_from_template = boolean("lists_from_template");
  controller.slurm_auth = boolean("slurm_auth");
  controller.external_scripts = boolean("external_scripts");
  controller.external_database = boolean("external_database");
  controller.has_backup = boolean("has_backup");
  controller.scripts = reader.scripts();
}

}  // namespace slipway::cluster
