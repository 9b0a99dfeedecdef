// Plans a cluster on machines that exist already.
#include "launcher/hosts/host_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <set>

#include "common/count.h"
#include "common/error.h"
#include "common/host_list.h"
#include "common/text.h"
#include "launcher/cluster/slurm_conf.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::hosts {
namespace {

// What Slurm counts of a machine, besides its memory.
struct Shape {
  int64_t gpus = 0;
  std::string gpu_model;
  int64_t sockets = 1, cores = 1, threads = 1;
  auto operator<=>(const Shape&) const = default;

  std::string text() const {
    std::string text = fmt::format("{} × {} × {} CPUs", sockets, cores, threads);
    if (gpus > 0)
      text += fmt::format(" and {} of {}", counted(static_cast<size_t>(gpus), "GPU"), gpu_model);
    return text;
  }
};

// "… SocketsPerBoard=2 …": slurmd(8), -C.
int64_t number_in(const std::string& line, const std::string& key) {
  for (const std::string& word : split(line, ' ')) {
    if (!word.starts_with(key + "=")) continue;
    if (const auto number = to_number<int64_t>(word.substr(key.size() + 1))) return *number;
  }
  throw Error(fmt::format("`slurmd -C` does not say {}: {}", key, line));
}

Shape shape_of(const HostFacts& facts) {
  const std::string& line = facts.node_line;
  return {facts.profile.gpus.count, facts.profile.gpus.model,
          number_in(line, "Boards") * number_in(line, "SocketsPerBoard"),
          number_in(line, "CoresPerSocket"), number_in(line, "ThreadsPerCore")};
}

class Planner {
 public:
  Planner(cluster::Cluster cluster, const cluster::Catalogue& catalogue,
          const cluster::SlurmReleases& releases, const std::map<std::string, HostFacts>& facts)
      : cluster_(std::move(cluster)), catalogue_(catalogue), releases_(releases), facts_(facts) {}

  HostPlan plan() {
    cluster_.controller.slurm_auth = false;
    cluster_.controller.external_scripts = false;
    const cluster::SlurmSite site = cluster::hosts_slurm_site(common_site());
    note_versions();
    for (cluster::Nodeset& nodeset : cluster_.nodesets) describe(nodeset);
    plan_.slurm_files = cluster::slurm_files(
        cluster_, cluster::Catalogue(std::move(types_), catalogue_.transports()), site);
    return std::move(plan_);
  }

 private:
  const HostFacts& controller() const {
    const auto found = facts_.find(cluster::controller_name(cluster_));
    if (found == facts_.end()) throw Error("the controller has not answered");
    return found->second;
  }

  // Slurm's files are the same on all machines, so their Slipway must be, too.
  cluster::HostsSite common_site() const {
    const HostFacts& first = controller();
    cluster::HostsSite site{first.slurm, true, true, first.programs, first.plugins};
    for (const auto& [name, facts] : facts_) {
      site.slurm = std::min(site.slurm, facts.slurm);
      site.has_pmix = site.has_pmix && facts.has_pmix;
      site.has_cgroups = site.has_cgroups && (facts.has_cgroups || facts.node_line.empty());
      if (facts.programs != first.programs) {
        throw Error(
            fmt::format("Slipway is in {} on {}, and in {} on {}: Slurm's files name one "
                        "place for all machines",
                        facts.programs, name, first.programs, cluster::controller_name(cluster_)));
      }
      require_release(name, facts, first);
    }
    return site;
  }

  // No slurmd may be newer than slurmctld (slurm.schedmd.com/upgrades.html).
  void require_release(const std::string& name, const HostFacts& facts,
                       const HostFacts& controller) const {
    if (facts.slurm.release() > controller.slurm.release()) {
      throw Error(
          fmt::format("{} has Slurm {}, which is newer than the controller's {}: update the "
                      "controller first",
                      name, to_string(facts.slurm), to_string(controller.slurm)));
    }
    const std::string why = releases_.why_not(facts.slurm, controller.slurm);
    if (!why.empty()) throw Error(fmt::format("{}: {}: update it first", name, why));
  }

  // Nodes of a job that runs under `slipway launch` need the same version.
  void note_versions() {
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& [name, facts] : facts_) names[facts.version].push_back(name);
    names.erase(controller().version);
    for (const auto& [version, others] : names) {
      plan_.notes.push_back(fmt::format("{}: Slipway {}, and the controller has {}",
                                        names_of_nodes(others), version, controller().version));
    }
  }

  // Gives the nodeset a machine type of its own.
  void describe(cluster::Nodeset& nodeset) {
    if (nodeset.hosts.empty()) return;
    std::map<Shape, std::vector<std::string>> shapes;
    for (const cluster::Host& host : nodeset.hosts) {
      if (const auto found = facts_.find(host.name); found != facts_.end()) {
        shapes[shape_of(found->second)].push_back(host.name);
      }
    }
    if (shapes.empty()) {
      throw Error(fmt::format("no machine of `{}` has answered, so nobody knows what they are",
                              nodeset.id));
    }
    const auto& [most, names] = *std::ranges::max_element(
        shapes, {}, [](const auto& shape) { return shape.second.size(); });
    cluster::MachineType type = machine_type(nodeset, most, names);
    nodeset.machine.machine_type = type.name;
    // slurmd -C shows what there is now. Another kernel may leave a little less, and Slurm drains a
    // node with less than slurm.conf says.
    nodeset.node_conf.emplace("RealMemory", std::to_string(type.memory_mib / 100 * 99));
    nodeset.machine.threads_per_core = nodeset.machine.visible_core_count = 0;
    types_.rows[type.name] = std::move(type);
    note_others(nodeset, shapes, most);
  }

  cluster::MachineType machine_type(const cluster::Nodeset& nodeset, const Shape& shape,
                                    const std::vector<std::string>& names) const {
    const HostFacts& facts = facts_.at(names.front());
    cluster::MachineType type;
    type.name = "hosts of " + nodeset.id;
    type.gpu_count = shape.gpus;
    type.gpu_model = shape.gpu_model;
    type.sockets = shape.sockets;
    type.cores_per_socket = shape.cores;
    type.threads_per_core = shape.threads;
    type.memory_mib = number_in(facts.node_line, "RealMemory");
    for (const std::string& name : names) {
      type.memory_mib =
          std::min(type.memory_mib, number_in(facts_.at(name).node_line, "RealMemory"));
    }
    type.transport = facts.profile.transport.name;
    return type;
  }

  void note_others(const cluster::Nodeset& nodeset,
                   const std::map<Shape, std::vector<std::string>>& shapes, const Shape& most) {
    for (const auto& [shape, names] : shapes) {
      if (shape == most) continue;
      plan_.notes.push_back(
          fmt::format("{}: {}; the others of `{}` have {}, and so says slurm.conf",
                      names_of_nodes(names), shape.text(), nodeset.id, most.text()));
    }
  }

  cluster::Cluster cluster_;
  const cluster::Catalogue& catalogue_;
  cluster::MachineTable types_;
  const cluster::SlurmReleases& releases_;
  const std::map<std::string, HostFacts>& facts_;
  HostPlan plan_;
};

}  // namespace

HostPlan plan_hosts(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
                    const cluster::SlurmReleases& releases,
                    const std::map<std::string, HostFacts>& facts) {
  return Planner(cluster, catalogue, releases, facts).plan();
}

std::vector<std::string> left_out_on_hosts(const cluster::Cluster& cluster) {
  const cluster::Controller& controller = cluster.controller;
  std::vector<std::string> lines;
  const auto add = [&](bool is_there, const char* what) {
    if (is_there) lines.emplace_back(what);
  };
  add(controller.accounting, "accounting: set up slurmdbd yourself");
  add(controller.slurm_auth, "`enable_slurm_auth`: machines use munge");
  add(controller.monitoring == "prometheus",
      "`monitoring`: each machine serves its metrics; run Prometheus yourself");
  add(controller.external_scripts, "`enable_external_prolog_epilog`");
  add(!cluster.file_systems.empty(), "file systems: mount them yourself");
  return lines;
}

}  // namespace slipway::hosts
