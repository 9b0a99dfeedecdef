// What `slipway cluster describe` wants to change in a site's Slurm configuration.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/installation.h"

namespace slipway::hosts {

struct SiteWishes {
  std::filesystem::path folder = "/etc/slurm";  // of slurm.conf
  bool health = true;                           // checks between jobs and around them
  std::string nccl_env = "warn";                // its mode; empty: without
};

struct SiteChange {
  std::filesystem::path path;
  bool exists = false;
  std::string before, after;
};

struct SitePlan {
  std::string cluster;              // ClusterName
  std::vector<SiteChange> changes;  // files whose text changes
  std::vector<std::string> notes;   // what the site has to decide
};

// Reads slurm.conf and plugstack.conf. Throws Error if there is no slurm.conf.
SitePlan plan_site(const SiteWishes& wishes, const Installation& installation);

// The same files without our lines.
SitePlan plan_undo(const SiteWishes& wishes);

// Writes the changes. A file that we made is removed if nothing of it is left.
void carry_out(const SitePlan& plan);

}  // namespace slipway::hosts
