// Settings of Slurm's files that come from the blueprint: `cloud_parameters` and templates.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

// Keys of slurm.conf and slurmdbd.conf that follow from the cluster: a template's values for them
// are not used.
extern const std::vector<std::string> fixed_settings, fixed_slurmdbd_settings;

// What a template of a Slurm file sets.
struct Template {
  std::map<std::string, std::string> settings;  // by key, as written
  std::vector<std::string> not_used;            // keys of `fixed` that it sets, too
  std::vector<std::string> problems;            // lines that cannot be used, and why
};

// Reads KEY=VALUE lines. Leaves out `include` and values with a {placeholder} of Cluster Toolkit's
// templates: Slipway writes these lines itself. Nodes and partitions are a problem: they come from
// the blueprint.
Template read_template(std::string_view text, const std::vector<std::string>& fixed);

bool has_setting(const std::vector<SlurmSetting>& settings, std::string_view key);

// Replaces the values of `settings`, and adds keys that they do not have. Where both have a list of
// options, such as SchedulerParameters, ours are added to the blueprint's unless it has them.
void override_settings(std::vector<SlurmSetting>& settings,
                       const std::map<std::string, std::string>& overrides);

// Makes UnkillableStepTimeout at least five times MessageTimeout, as newer versions of Slurm
// require, for blueprints and sites that only make MessageTimeout longer.
void follow_message_timeout(std::vector<SlurmSetting>& common);

// Applies what the controller's blueprint says about slurm.conf to both sections of it: the
// settings of every cluster, and those of this site and cluster.
void follow_blueprint(const Controller& controller, bool has_gpus,
                      std::vector<SlurmSetting>& common, std::vector<SlurmSetting>& settings);

}  // namespace slipway::cluster
