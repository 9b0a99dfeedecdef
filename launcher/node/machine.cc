// Prepares a cloud machine for its services.
#include "launcher/node/machine.h"

#include <fmt/core.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

// The source of the topmost mount on a folder, as the kernel names it ("10.0.0.2:/share",
// "/dev/sdb"), or "".
std::string mounted_on(const fs::path& folder) {
  std::string source;
  // "36 35 98:0 / /home rw,noatime master:1 - ext4 /dev/sdb rw": proc_pid_mountinfo(5)
  for (const std::string& line : split(read_file("/proc/self/mountinfo"), '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() > 4 && fields[4] == folder.string() && fields.end() - dash > 2) {
      source = dash[2];
    }
  }
  return source;
}

bool is_known(const std::string& name) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return false;
  ::freeaddrinfo(found);
  return true;
}

// Arguments for mount(8), and the helper program that it needs. An empty source means: left to the
// startup script. Lustre is among those: its client needs modules with a configured port.
struct Mountable {
  std::string source, options;
  fs::path program = {};  // "": the kernel mounts it, or every image has the helper
};

Mountable mountable(const NetworkStorage& storage) {
  const std::string options = storage.options.empty() ? "defaults" : storage.options;
  if (storage.is_nfs()) return {storage.server + ":" + storage.remote, options};
  if (storage.type != "gcsfuse") return {};
  // A bucket has no server; without `allow_other` only root could use it.
  const bool shared = (options + ",").find("allow_other,") != std::string::npos;
  return {storage.remote, shared ? options : options + ",allow_other", "/sbin/mount.gcsfuse"};
}

// The name of the interface with this hardware address, or "".
std::string interface_with(const std::string& mac) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/sys/class/net", ignored)) {
    try {
      if (trim(read_file(entry.path() / "address")) == mac) return entry.path().filename();
    } catch (const Error&) {
      // Not every entry is an interface.
    }
  }
  return "";
}

}  // namespace

bool write_changed(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read_file(path) == text) return false;
  make_directories(path.parent_path());
  write_file(path, text);
  return true;
}

void mount_storage(const Patience& patience, const NetworkStorage& storage, const Say& say) {
  const Mountable mount = mountable(storage);
  const std::string& source = mount.source;
  if (source.empty() || (!mount.program.empty() && !fs::exists(mount.program))) {
    say(fmt::format("{} is a file system of type {}; the startup script has to mount it",
                    storage.local, storage.type));
    return;
  }
  if (!storage.local.starts_with('/') || source.starts_with('-')) {
    throw Error(
        fmt::format("cannot mount `{1}` on `{0}`: the folder must be an absolute path, and the "
                    "source cannot begin with `-`",
                    storage.local, source));
  }
  if (mounted_on(storage.local) == source) return;
  make_directories(storage.local);
  persist(patience, fmt::format("{} on {}", source, storage.local), [&] {
    ProcessOptions options;
    options.deadline = std::chrono::minutes(3);  // mount itself retries for two minutes
    const ProcessResult result = run_process(
        {"/bin/mount", "-t", storage.type, "-o", mount.options, "--", source, storage.local},
        options);
    if (!result.ok()) throw NotYet(std::string(trim(result.errors)));
  });
}

void mount_state_disk(const Say& say) {
  const fs::path disk = "/dev/disk/by-id/google-slurm-state";
  const fs::path folder = slurmctld_state;
  if (!fs::exists(disk) || mounted_on(folder) == fs::canonical(disk)) return;
  // blkid exits with 2 if it recognizes nothing on the disk.
  const ProcessResult content =
      run_process({"/sbin/blkid", "--probe", "--usages", "filesystem,raid,crypto,other", disk});
  if (content.exit_code == 2) {
    say("the disk for slurmctld's state is empty: making a file system on it");
    run_checked({"/sbin/mkfs.ext4", "-q", disk});
  } else if (!content.ok()) {
    throw Error(
        fmt::format("cannot determine the content of {}: {}", disk.string(), trim(content.errors)));
  }
  make_directories(folder);
  run_checked({"/bin/mount", disk, folder});
}

std::vector<std::string> other_domains(const ClusterFile& cluster, const MachineMetadata& self) {
  std::set<std::string> domains;
  const auto add = [&](const std::string& zone, const std::string& project) {
    if (!zone.empty() && zone != self.zone) {
      domains.insert(fmt::format("{}.c.{}.internal", zone, project));
    }
  };
  add(cluster.controller_zone, cluster.controller_project);
  if (cluster.backup) add(cluster.backup->zone, cluster.controller_project);
  for (const auto& [name, nodeset] : cluster.nodesets) {
    for (const std::string& zone : nodeset.zones) add(zone, nodeset.project);
  }
  return {domains.begin(), domains.end()};
}

std::string resolv_conf_with(const std::string& text, const std::vector<std::string>& domains) {
  std::string kept;
  std::vector<std::string> all;
  const auto add = [&](const std::string& domain) {
    if (!domain.empty() && std::ranges::find(all, domain) == all.end()) all.push_back(domain);
  };
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("search ")) {
      for (const std::string& domain : split(line.substr(7), ' ')) add(domain);
    } else if (!line.empty()) {
      kept += line + "\n";
    }
  }
  for (const std::string& domain : domains) add(domain);
  return all.empty() ? kept : kept + "search " + join(all, " ") + "\n";
}

void search_all_zones(const ClusterFile& cluster, const MachineMetadata& self) {
  const std::vector<std::string> domains = other_domains(cluster, self);
  if (domains.empty()) return;
  if (fs::is_directory("/run/systemd/resolve")) {
    const std::string text = fmt::format("[Resolve]\nDomains={}\n", join(domains, " "));
    if (write_changed("/etc/systemd/resolved.conf.d/slipway.conf", text)) {
      run_checked({"/bin/systemctl", "restart", "systemd-resolved.service"});
    }
    return;
  }
  const fs::path path = "/etc/resolv.conf";
  write_changed(path, resolv_conf_with(fs::exists(path) ? read_file(path) : "", domains));
}

void wait_for_controller_address(const Patience& patience, const ClusterFile& cluster) {
  persist(patience, fmt::format("the address of {}", cluster.controller), [&] {
    const bool known =
        is_known(cluster.controller) || (cluster.backup && is_known(cluster.backup->name));
    if (!known) throw NotYet("the name does not resolve");
  });
}

void warn_of_interfaces(const NodeProfile& profile, const MachineMetadata& self, const Say& say) {
  for (size_t i = 0; i < profile.network_interfaces.size() && i < self.interfaces.size(); ++i) {
    const std::string name = interface_with(self.interfaces[i].mac);
    const std::string& expected = profile.network_interfaces[i].name;
    if (!name.empty() && name != expected) {
      say(fmt::format("network interface {} is called {} here but {} in the catalogue", i, name,
                      expected));
    }
  }
}

}  // namespace slipway::node
