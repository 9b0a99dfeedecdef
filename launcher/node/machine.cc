// What a machine of a cloud needs besides its services.
#include "launcher/node/machine.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* own_mark = "# by slipway";

// What is mounted on a folder, as the kernel names it ("10.0.0.2:/share", "/dev/sdb"), or "": the
// last one, which hides others.
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

std::optional<std::string> address_of(const std::string& name) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  char text[INET_ADDRSTRLEN] = "";
  const auto* address = reinterpret_cast<const sockaddr_in*>(found->ai_addr);
  ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
  ::freeaddrinfo(found);
  return text;
}

// The name of the interface with a hardware address, or "".
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
  if (storage.type != "nfs") {
    say(fmt::format("{} is a file system of type {}: it is left to the startup script",
                    storage.local, storage.type));
    return;
  }
  if (!storage.local.starts_with('/') || storage.server.starts_with('-')) {
    throw Error(
        fmt::format("`{}` of `{}` is nothing that can be mounted", storage.local, storage.server));
  }
  const std::string source = storage.server + ":" + storage.remote;
  if (mounted_on(storage.local) == source) return;
  make_directories(storage.local);
  persist(patience, fmt::format("{} on {}", source, storage.local), [&] {
    ProcessOptions options;
    options.deadline = std::chrono::minutes(3);  // mount itself tries for two
    const ProcessResult result = run_process(
        {"/bin/mount", "-t", "nfs", "-o", storage.options.empty() ? "defaults" : storage.options,
         "--", source, storage.local},
        options);
    if (!result.ok()) throw NotYet(std::string(trim(result.errors)));
  });
}

void mount_state_disk(const Say& say) {
  const fs::path disk = "/dev/disk/by-id/google-slurm-state";
  const fs::path folder = "/var/spool/slurmctld";
  if (!fs::exists(disk) || mounted_on(folder) == fs::canonical(disk)) return;
  // blkid exits with 2 when there is nothing on the disk that anything knows.
  const ProcessResult content =
      run_process({"/sbin/blkid", "--probe", "--usages", "filesystem,raid,crypto,other", disk});
  if (content.exit_code == 2) {
    say("the disk for slurmctld's state is empty: making a file system on it");
    run_checked({"/sbin/mkfs.ext4", "-q", disk});
  } else if (!content.ok()) {
    throw Error(fmt::format("cannot tell what is on {}: {}", disk.string(), trim(content.errors)));
  }
  make_directories(folder);
  run_checked({"/bin/mount", disk, folder});
}

std::string hosts_with(const std::string& hosts, const std::string& address,
                       const std::string& name, const std::string& long_name) {
  std::string text;
  for (const std::string& line : split(hosts, '\n')) {
    if (!line.empty() && !line.ends_with(own_mark)) text += line + "\n";
  }
  return text + fmt::format("{} {} {} {}\n", address, long_name, name, own_mark);
}

void find_controller(const Patience& patience, const ClusterFile& cluster, const Myself& self) {
  persist(patience, fmt::format("the address of {}", cluster.controller), [&] {
    if (cluster.controller_zone.empty() || self.zone == cluster.controller_zone) {
      if (address_of(cluster.controller)) return;
      throw NotYet("no server knows it");
    }
    const std::string long_name = fmt::format("{}.{}.c.{}.internal", cluster.controller,
                                              cluster.controller_zone, cluster.controller_project);
    const auto address = address_of(long_name);
    if (!address) throw NotYet(fmt::format("no server knows {}", long_name));
    const std::string hosts = fs::exists("/etc/hosts") ? read_file("/etc/hosts") : "";
    write_changed("/etc/hosts", hosts_with(hosts, *address, cluster.controller, long_name));
  });
}

void warn_of_interfaces(const NodeProfile& profile, const Myself& self, const Say& say) {
  for (size_t i = 0; i < profile.network_interfaces.size() && i < self.interfaces.size(); ++i) {
    const std::string name = interface_with(self.interfaces[i].mac);
    const std::string& told = profile.network_interfaces[i].name;
    if (!name.empty() && name != told) {
      say(fmt::format("network interface {} is called {} here, and {} in the catalogue", i, name,
                      told));
    }
  }
}

}  // namespace slipway::node
