// `slipway node join` and `slipway node leave`: what `slipway deploy` runs on machines that exist
// already.
#include "launcher/commands/node_join.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/host_name.h"
#include "common/installation.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/node_describe.h"
#include "launcher/commands/root_program.h"
#include "launcher/hosts/describe.h"
#include "launcher/hosts/host_facts.h"
#include "launcher/node/installed_slurm.h"
#include "launcher/node/join.h"
#include "launcher/node/service.h"

namespace slipway::commands {
namespace {

// "NodeName=gpu001 CPUs=8 …": what `slurmd -C` has found; empty without slurmd.
std::string line_of_slurmd() {
  constexpr const char* slurmd = "/usr/sbin/slurmd";
  if (!std::filesystem::exists(slurmd)) return "";
  const std::string text =
      run_checked({slurmd, "-C"}, {.input = "", .deadline = std::chrono::seconds(30)});
  return text.substr(0, text.find('\n'));
}

// slurmd refuses to start where controllers of version 1 are mounted as well.
bool has_only_cgroups_v2() {
  return std::filesystem::exists("/sys/fs/cgroup/cgroup.controllers") &&
         split(trim(read_file("/proc/self/cgroup")), '\n').size() == 1;
}

hosts::HostFacts facts_of_this_machine(const hosts::Wishes& wishes) {
  const std::filesystem::path folder = catalogue_folder();
  const cluster::Catalogue catalogue = read_whole_catalogue(folder);
  const hosts::HardwareTable table = hosts::load_hardware_table(folder);
  hosts::Description found =
      hosts::describe(health::Machine("/"), hosts::ask_this_machine(), {catalogue, table}, wishes);
  const node::InstalledSlurm slurm = node::installed_slurm();
  const Installation installation = find_installation();
  hosts::HostFacts facts;
  facts.version = SLIPWAY_VERSION;
  facts.host_name = own_host_name().substr(0, own_host_name().find('.'));
  facts.slurm = slurm.version;
  facts.has_pmix = slurm.has_pmix;
  facts.has_cgroups = node::has_systemd() && has_only_cgroups_v2();
  facts.programs = installation.internal_programs();
  facts.plugins = installation.spank_plugins();
  facts.deployment = node::joined_deployment();
  facts.has_foreign_slurm = node::has_foreign_slurm();
  if (wishes.role == "compute") facts.node_line = line_of_slurmd();
  facts.profile = std::move(found.profile);
  facts.warnings = std::move(found.warnings);
  facts.missing = std::move(found.missing);
  return facts;
}

}  // namespace

int node_join(Args args) {
  hosts::Wishes wishes;
  bool facts = false, boot = false;
  CommandLine line("slipway node join", "Make this machine a node of a cluster.");
  line.about(
      "`slipway deploy` runs it by ssh on the machines that a blueprint's `machines` names, and "
      "gives it an order on stdin: Slurm's files, the node profile and the key. It prints what it "
      "has changed, as JSON. Needs root.");
  line.flag("facts", "only print what the machine has and is, as JSON", &facts);
  line.option("node", "NAME", "with --facts: Slurm's NodeName", &wishes.node, "the host name");
  line.option("cluster", "NAME", "with --facts: Slurm's ClusterName", &wishes.cluster);
  line.option("role", "compute|login|controller", "with --facts: what the machine is for",
              &wishes.role);
  line.flag("boot", "make what Slurm needs at each boot; the unit slipway-joined.service runs it",
            &boot);
  line.example("slipway node join --facts --cluster test", "see what a deploy would learn");
  line.example("slipway node join --boot", "make again what a boot has removed from /run");
  line.see_also("slipway-deploy(1)");
  line.see_also("slipway-node-describe(1)");
  if (!line.parse(args)) return 0;
  require_root();
  forget_the_caller();
  if (facts) {
    fmt::print("{}\n", hosts::to_json(facts_of_this_machine(wishes)));
  } else if (boot) {
    node::prepare_joined_node();
  } else {
    const std::string order{std::istreambuf_iterator<char>(std::cin), {}};
    fmt::print("{}\n", node::to_json(node::join_cluster(node::parse_join_order(order))));
  }
  return 0;
}

int node_leave(Args args) {
  std::string deployment;
  CommandLine line("slipway node leave", "Take this machine out of its cluster.");
  line.about(
      "`slipway destroy` runs it by ssh. It stops Slurm's daemons and removes the files that "
      "`slipway node join` wrote. Packages, munge with its key, Slurm's state in /var/spool and "
      "its logs stay. Needs root.");
  line.positional("DEPLOYMENT", &deployment);
  line.example("slipway node leave lab", "stop Slurm here, and remove the files of `lab`");
  line.example("ssh gpu007 sudo slipway node leave lab",
               "the same for a machine that a deploy missed");
  line.see_also("slipway-destroy(1)");
  if (!line.parse(args)) return 0;
  require_root();
  forget_the_caller();
  for (const std::string& path : node::leave_cluster(deployment)) {
    fmt::print("removed {}\n", path);
  }
  return 0;
}

}  // namespace slipway::commands
