// Puts a cluster on hosts that exist already.
#include "launcher/cluster/hosts.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/count.h"

namespace slipway::cluster {
namespace {

using source::Code;

class Placement {
 public:
  Placement(Cluster& cluster, const blueprint::Machines& machines, source::Diagnostics& diagnostics)
      : cluster_(cluster), machines_(machines), diagnostics_(diagnostics) {}

  void place() {
    know(cluster_.controller.id);
    for (const Login& login : cluster_.logins) know(login.id);
    for (const Nodeset& nodeset : cluster_.nodesets) know(nodeset.id);
    for (const blueprint::HostsOfModule& each : machines_.modules) require_known(each);
    place_controller();
    cluster_.controller.has_backup = false;
    for (Login& login : cluster_.logins) place(login);
    for (Nodeset& nodeset : cluster_.nodesets) place(nodeset);
  }

 private:
  void know(const std::string& id) { known_.push_back(id); }

  void require_known(const blueprint::HostsOfModule& each) {
    if (std::ranges::find(known_, each.module) != known_.end()) return;
    diagnostics_
        .error(Code::unknown_module, each.span,
               fmt::format("`{}` is not the cluster's controller, a login module or a nodeset",
                           each.module))
        .help(source::did_you_mean(each.module, known_));
  }

  void report_missing(const std::string& module) {
    diagnostics_.error(Code::missing_key, machines_.span,
                       fmt::format("`hosts` of `machines` has none for the module `{}`", module));
  }

  void place_controller() {
    const blueprint::HostsOfModule* found = machines_.of(cluster_.controller.id);
    if (found == nullptr) {
      report_missing(cluster_.controller.id);
    } else if (found->hosts.size() > 1) {
      diagnostics_.error(Code::wrong_shape, found->span,
                         fmt::format("the controller is one machine, and `{}` has {}",
                                     found->module, counted(found->hosts.size(), "host")));
    } else {
      cluster_.controller.hosts = found->hosts;
    }
  }

  // `count` is the number of machines in the blueprint; `unset` is what it is if nobody has set it.
  void place(const std::string& module, int64_t& count, int64_t unset, std::vector<Host>& hosts) {
    const blueprint::HostsOfModule* found = machines_.of(module);
    if (found == nullptr) {
      if (count > 0) report_missing(module);
      return;
    }
    const auto size = static_cast<int64_t>(found->hosts.size());
    if (count != unset && count != size) {
      diagnostics_.error(Code::wrong_shape, found->span,
                         fmt::format("`{}` has {} in the blueprint, and {} here", module,
                                     counted(static_cast<size_t>(count), "machine"),
                                     counted(found->hosts.size(), "host")));
      return;
    }
    count = size;
    hosts = found->hosts;
  }

  void place(Login& login) { place(login.id, login.count, 1, login.hosts); }

  // Nothing makes further machines.
  void place(Nodeset& nodeset) {
    nodeset.node_count_dynamic_max = 0;
    place(nodeset.id, nodeset.node_count_static, 0, nodeset.hosts);
  }

  Cluster& cluster_;
  const blueprint::Machines& machines_;
  source::Diagnostics& diagnostics_;
  std::vector<std::string> known_;
};

}  // namespace

void place_on_hosts(Cluster& cluster, const blueprint::Machines& machines,
                    source::Diagnostics& diagnostics) {
  Placement(cluster, machines, diagnostics).place();
}

}  // namespace slipway::cluster
