// Plans our lines in slurm.conf and plugstack.conf.
#include "launcher/hosts/site_plan.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/hosts/site.h"
#include "launcher/hosts/site_files.h"

namespace slipway::hosts {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_file = 16 << 20;

// One of the site's files, with what it says itself.
struct SiteFile {
  fs::path path;
  bool exists = false;
  std::string text, own;
};

SiteFile read_site_file(const fs::path& path) {
  SiteFile file{path, false, {}, {}};
  std::error_code ignored;
  file.exists = fs::exists(path, ignored);
  if (file.exists) file.text = read_regular_file(path, largest_file);
  file.own = without_our_lines(file.text);
  return file;
}

SiteFile read_slurm_conf(const SiteWishes& wishes) {
  SiteFile file = read_site_file(wishes.folder / "slurm.conf");
  if (!file.exists) {
    throw Error(
        fmt::format("there is no {}: run this where slurmctld runs, or name its folder with "
                    "--config",
                    file.path.string()));
  }
  return file;
}

SiteFile read_plugstack(const SiteWishes& wishes, const std::string& slurm_conf) {
  const std::string named = slurm_value(slurm_conf, "PlugStackConfig");
  return read_site_file(named.empty() ? wishes.folder / "plugstack.conf" : fs::path(named));
}

void change(SitePlan& plan, const SiteFile& file, const std::string& lines) {
  std::string after = with_our_lines(file.text, lines, file.exists ? Origin::site : Origin::ours);
  if (after != file.text) {
    plan.changes.push_back({file.path, file.exists, file.text, std::move(after)});
  }
}

// Slurm uses the last line with a key, so a key that the site has set is left to the site.
class SlurmConf {
 public:
  SlurmConf(const std::string& own, SitePlan& plan) : own_(own), plan_(plan) {}

  // Adds the setting, or says what the site's own one lacks.
  void want(const std::string& key, const std::string& value, const std::string& why) {
    const std::string own = slurm_value(own_, key);
    if (own.empty()) {
      lines += fmt::format("{}={}\n", key, value);
      return;
    }
    const std::vector<std::string> parts = split(own, ',');
    for (const std::string& wanted : split(value, ',')) {
      if (std::ranges::find(parts, wanted) != parts.end()) continue;
      plan_.notes.push_back(fmt::format("{} of slurm.conf lacks {}: {}", key, wanted, why));
    }
  }

  bool has(const std::string& key) const { return !slurm_value(own_, key).empty(); }

  std::string lines;

 private:
  const std::string& own_;
  SitePlan& plan_;
};

std::string health_lines(const std::string& own, const fs::path& program, SitePlan& plan) {
  SlurmConf conf(own, plan);
  if (conf.has("HealthCheckProgram")) {
    plan.notes.push_back(fmt::format(
        "slurm.conf has HealthCheckProgram={}, and Slurm runs only one: yours stays. To have our "
        "checks between jobs, call {} from it",
        slurm_value(own, "HealthCheckProgram"), program.string()));
  } else {
    conf.lines += fmt::format(
        "HealthCheckProgram={}\nHealthCheckInterval=300\nHealthCheckNodeState=ANY,CYCLE\n",
        program.string());
  }
  conf.want("PrologFlags", "Alloc", "checks before a job need it, or they run at its first step");
  conf.want(
      "SchedulerParameters", "nohold_on_prolog_fail",
      "without it, Slurm holds a job that met an unfit node, instead of starting it elsewhere");
  return conf.lines;
}

std::string plugin_lines(const SiteWishes& wishes, const std::string& own, const fs::path& plugins,
                         SitePlan& plan) {
  std::string lines;
  const auto add = [&](const char* plugin, const std::string& line) {
    if (own.find(plugin) == own.npos) {
      lines += line;
    } else {
      plan.notes.push_back(
          fmt::format("plugstack.conf has a line of yours for {}: it stays", plugin));
    }
  };
  if (!wishes.nccl_env.empty()) {
    add("nccl_env.so",
        fmt::format("optional {}/nccl_env.so default={}\n", plugins.string(), wishes.nccl_env));
  }
  // A file that is installed with the plugin: machines that have neither still work.
  if (wishes.health) add("node_health", fmt::format("include {}/*.conf\n", plugins.string()));
  return lines;
}

// Keeps the owner and the mode of a file that is there.
void replace(const SiteChange& change) {
  struct stat info = {};
  const bool exists = ::stat(change.path.c_str(), &info) == 0;
  write_file(change.path, change.after, exists ? info.st_mode & 07777 : 0644);
  if (exists && ::chown(change.path.c_str(), info.st_uid, info.st_gid) != 0) {
    throw Error(fmt::format("cannot give {} back to its owner", change.path.string()));
  }
}

}  // namespace

SitePlan plan_site(const SiteWishes& wishes, const Installation& installation) {
  SitePlan plan;
  const SiteFile conf = read_slurm_conf(wishes);
  plan.cluster = slurm_value(conf.own, "ClusterName");
  const SiteFile plugstack = read_plugstack(wishes, conf.own);
  if (wishes.health) {
    change(plan, conf, health_lines(conf.own, installation.internal_programs() / "health", plan));
  } else {
    change(plan, conf, "");
  }
  change(plan, plugstack, plugin_lines(wishes, plugstack.own, installation.spank_plugins(), plan));
  return plan;
}

SitePlan plan_undo(const SiteWishes& wishes) {
  SitePlan plan;
  const SiteFile conf = read_slurm_conf(wishes);
  plan.cluster = slurm_value(conf.own, "ClusterName");
  change(plan, conf, "");
  change(plan, read_plugstack(wishes, conf.own), "");
  return plan;
}

void carry_out(const SitePlan& plan) {
  for (const SiteChange& change : plan.changes) {
    if (change.after.empty() && is_made_by_us(change.before)) {
      fs::remove(change.path);
    } else {
      replace(change);
    }
  }
}

}  // namespace slipway::hosts
