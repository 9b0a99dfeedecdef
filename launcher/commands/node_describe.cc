// `slipway node describe`: the node profile of a machine that no blueprint made.
#include "launcher/commands/node_describe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/cluster/bandwidth_reader.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/page.h"
#include "launcher/hosts/describe.h"

namespace slipway::commands {

namespace fs = std::filesystem;

cluster::Catalogue read_whole_catalogue(const fs::path& folder) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  cluster::Catalogue catalogue = cluster::load_catalogue(folder, sources, diagnostics);
  if (catalogue.complete) cluster::load_bandwidth(folder, catalogue, sources, diagnostics);
  if (diagnostics.errors() > 0) throw Error(render(diagnostics));
  return catalogue;
}

namespace {

// "ibp24s0 (mlx5_0)", and the GPUs next to it
std::string interface_text(const NodeProfile::Interface& nic) {
  std::string text = nic.name;
  if (!nic.rdma_device.empty() && nic.rdma_device != nic.name) {
    text += fmt::format(" ({})", nic.rdma_device);
  }
  if (!nic.address.empty()) text += ", " + nic.address;
  return text;
}

class Table {
 public:
  explicit Table(const NodeProfile& profile) : profile_(profile) {}

  std::string text() {
    row("cluster", profile_.cluster, "cluster");
    row("node", fmt::format("{}, {}", profile_.node, profile_.role), "node");
    row("machine type", profile_.machine_type, "machine_type");
    row("GPUs", std::to_string(profile_.gpus.count), "gpus.count");
    if (profile_.gpus.count > 0) row("GPU model", profile_.gpus.model, "gpus.model");
    for (const NodeProfile::Interface& nic : profile_.network_interfaces) {
      row(nic.purpose == "gpu" ? "for GPUs" : "for the host", interface_text(nic),
          "network_interfaces." + nic.name);
    }
    if (!profile_.unused_interfaces.empty()) {
      row("not in use", join(profile_.unused_interfaces, ", "), "");
    }
    row("transport", profile_.transport.name, "transport");
    if (!profile_.mounts.empty()) row("mounts", join(profile_.mounts, ", "), "mounts");
    return in_columns();
  }

 private:
  struct Row {
    std::string name, value, origin;
  };

  void row(const std::string& name, const std::string& value, const std::string& origin) {
    const auto found = profile_.origins.find(origin);
    rows_.push_back({name, value, found == profile_.origins.end() ? "" : found->second});
  }

  std::string in_columns() const {
    size_t names = 0, values = 0;
    for (const Row& each : rows_) {
      names = std::max(names, each.name.size());
      values = std::max(values, each.value.size());
    }
    values = std::min<size_t>(values, 36);
    std::string text;
    for (const Row& each : rows_) {
      const std::string line = fmt::format("{}  {}  {}", padded(each.name, names),
                                           padded(each.value, values), each.origin);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

  const NodeProfile& profile_;
  std::vector<Row> rows_;
};

// A profile that came with a deployment stays. Throws Error.
void require_own(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  const NodeProfile there = load_node_profile(file);
  if (there.target == hosts::target_name) return;
  throw Error(fmt::format("{} is of deployment `{}`, which wrote it; it stays", file.string(),
                          there.deployment));
}

int remove_profile() {
  const fs::path file(node_profile_path);
  require_own(file);
  fs::remove(file);
  std::error_code not_empty;
  fs::remove(file.parent_path(), not_empty);
  return 0;
}

constexpr const char* describe_about =
    "It finds the GPUs, the network interfaces and the GPUs next to them, RDMA devices and the "
    "libraries of transports, recognizes the machine type if the catalogue has it, and makes "
    "the node profile from them, with the origin of each value. It changes nothing unless you "
    "name a file with --output. The profile is what the plugins nccl_env and node_health, "
    "`slipway health` and the bandwidth tests read; they look for it in /etc/slipway/node.json.";

}  // namespace

int node_describe(Args args) {
  hosts::Wishes wishes;
  std::string output, root = "/";
  bool json = false, as_found = false, remove = false;
  CommandLine line("slipway node describe",
                   "Describe this machine as a node, from what it says about itself.");
  line.about(describe_about);
  line.option("cluster", "NAME", "Slurm's ClusterName", &wishes.cluster, "found in slurm.conf");
  line.option("node", "NAME", "Slurm's NodeName", &wishes.node, "the host name");
  line.option("role", "compute|login|controller", "what the machine is for", &wishes.role);
  line.option("transport", "NAME", "a transport of the catalogue", &wishes.transport,
              "found by the hardware");
  line.flag("as-found", "accept a machine that has less than its type", &as_found);
  line.option("output,o", "FILE", "write the profile to this file", &output, "not written");
  line.flag("remove", "remove the profile that this command wrote", &remove);
  line.option("root", "FOLDER", "a folder with another machine's /sys, /proc and /etc", &root);
  line.json("schema slipway/node/1", &json);
  line.example("slipway node describe", "see what is found, and where");
  line.example("sudo slipway node describe -o /etc/slipway/node.json", "write the node profile");
  line.exit_status("1", "the cluster's name is unknown, or the machine is not whole");
  line.see_also("slipway-health(1)");
  line.see_also("slipway-node-transport(1)");
  if (!line.parse(args)) return 0;
  if (wishes.role != "compute" && wishes.role != "login" && wishes.role != "controller") {
    throw UsageError("--role is compute, login or controller");
  }
  if (remove) return remove_profile();
  const fs::path folder = catalogue_folder();
  const cluster::Catalogue catalogue = read_whole_catalogue(folder);
  const hosts::HardwareTable table = hosts::load_hardware_table(folder);
  if (!wishes.transport.empty()) catalogue.transport(wishes.transport);
  const bool is_this = root == "/";
  const hosts::Answers answers = is_this ? hosts::ask_this_machine() : hosts::no_answers(root);
  const hosts::Description found =
      hosts::describe(health::Machine(root), answers, {catalogue, table}, wishes);
  for (const std::string& warning : found.warnings) {
    fmt::print(stderr, "slipway node describe: warning: {}\n", for_locale(warning));
  }
  const bool whole = found.missing.empty() || as_found;
  for (const std::string& what : found.missing) {
    fmt::print(stderr, "slipway node describe: {}: {}\n", as_found ? "warning" : "not whole", what);
  }
  const std::string text = to_json(found.profile);
  fmt::print("{}", json ? text : for_locale(Table(found.profile).text()));
  if (!whole) {
    throw Error(
        "the machine has less than its type, and a profile would make that look right; "
        "repair it, or add --as-found");
  }
  if (output.empty()) return 0;
  require_own(output);
  make_directories(fs::absolute(output).parent_path());
  write_file(output, text);
  fmt::print(stderr, "wrote {}\n", output);
  return 0;
}

}  // namespace slipway::commands
