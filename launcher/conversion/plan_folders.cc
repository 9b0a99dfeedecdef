// The folders that the tasks of a job see.
#include "launcher/conversion/plan_folders.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/text.h"

namespace slipway::conversion {
namespace {

using job_script::JobStep;
using source::Span;

class FolderPlanner {
 public:
  FolderPlanner(Plan& plan, source::Diagnostics& diagnostics)
      : plan_(plan), diagnostics_(diagnostics) {}

  void run() {
    for (const JobStep& step : plan_.job->steps) {
      const Span place = step.mounts.empty() ? Span() : step.find("container-mounts")->place;
      for (const job_script::ContainerMount& mount : step.mounts) folder(mount, place);
    }
  }

 private:
  void refuse(Span place, const std::string& message, const std::string& hint) {
    diagnostics_.error(source::Code::no_equivalent, place, message).help(hint);
  }

  void folder(const job_script::ContainerMount& mount, Span place) {
    if (!mount.unknown.empty()) {
      refuse(place,
             fmt::format("where `{}` is depends on {}, which only the running script knows",
                         mount.source, join(mount.unknown, " and ")),
             hint_for(mount));
      return;
    }
    Folder folder;
    folder.source = folder.asked = mount.source;
    folder.target = mount.target;
    for (const std::string& flag : mount.flags) {
      if (flag == "ro")
        folder.read_only = true;
      else if (flag == "mkdir" || flag == "x-create=dir")
        folder.create = true;
      else
        plan_.note(fmt::format("the flag `{}` of a mount: Kubernetes has its own", flag));
    }
    if (mount.source == "umount" || !mount.target.starts_with('/')) {
      refuse(place, fmt::format("the mount `{}:{}` has no equivalent", mount.source, mount.target),
             "leave it out");
      return;
    }
    if (mount.source != "tmpfs" && !mount.source.starts_with('/')) {
      refuse(
          place, fmt::format("`{}` is not an absolute path", mount.source),
          fmt::format("write it from the root: where a script is submitted has no meaning for {}",
                      words_of(plan_.place.format).pods));
      return;
    }
    std::string source = folder.source;
    for (const auto& [at, claim] : plan_.place.claims) {  // in order, so that the deepest stays
      if (folder.source != at && !folder.source.starts_with(at + "/")) continue;
      folder.claim = claim;
      source = folder.source == at ? "" : folder.source.substr(at.size() + 1);
    }
    folder.source = std::move(source);
    const auto same = std::ranges::find(plan_.folders, folder.target, &Folder::target);
    if (same != plan_.folders.end()) return;
    folder.name = fmt::format("folder-{}", plan_.folders.size());
    plan_.folders.push_back(std::move(folder));
  }

  // Names a variable with which the path can be chosen.
  std::string hint_for(const job_script::ContainerMount& mount) const {
    for (const job_script::Parameter& parameter : plan_.job->walked.parameters) {
      if (!parameter.otherwise.text.empty() &&
          mount.source.find(parameter.otherwise.text) != std::string::npos) {
        return fmt::format("choose it with --env {}=/PATH", parameter.name);
      }
    }
    return fmt::format("set it with --env {}=VALUE", mount.unknown[0]);
  }

  Plan& plan_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void plan_folders(Plan& plan, source::Diagnostics& diagnostics) {
  FolderPlanner(plan, diagnostics).run();
}

}  // namespace slipway::conversion
