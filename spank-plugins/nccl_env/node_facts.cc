// Gathers facts about a node before the tasks start.
#include "spank-plugins/nccl_env/node_facts.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "common/fd.h"
#include "common/socket_probe.h"
#include "common/text.h"

namespace slipway::nccl_env {
namespace {

namespace fs = std::filesystem;

// The first line of a small kernel file, or "".
std::string read_line(const fs::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[256];
  const ssize_t size = file ? ::read(file.get(), text, sizeof text) : 0;
  return size > 0 ? std::string(trim({text, static_cast<size_t>(size)})) : "";
}

// The PCI address that a device link points to, "0000:06:00.0"; "" if there is no such link (veth).
std::string pci_address(const fs::path& folder) {
  std::error_code none;
  return fs::read_symlink(folder / "device", none).filename();
}

// On a3-ultragpu-8g and newer, names may be those of RDMA devices, which have their own folder.
NodeFacts::Interface look_at(const std::string& name, const fs::path& root) {
  const fs::path net = root / "sys/class/net" / name;
  std::error_code none;
  if (fs::exists(net, none)) {
    const std::string state = read_line(net / "operstate");
    const std::string address = pci_address(net);
    // Links that report only `unknown` work too: loopback and some drivers.
    return {true, state == "up" || state == "unknown",
            address.empty() ? fmt::format("{:0>8}", read_line(net / "ifindex")) : address};
  }
  const fs::path rdma = root / "sys/class/infiniband" / name;
  if (fs::exists(rdma, none)) {
    const std::string state = read_line(rdma / "ports/1/state");  // "4: ACTIVE"
    return {true, state.starts_with('4'), pci_address(rdma)};
  }
  return {};
}

// Only hardware: bridges and container interfaces come and go.
std::vector<std::string> find_further(const NodeProfile& profile, const fs::path& root) {
  std::vector<std::string> further;
  if (profile.network_interfaces.empty()) return further;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root / "sys/class/net", none)) {
    const std::string name = entry.path().filename();
    const bool listed =
        std::ranges::find(profile.network_interfaces, name, &NodeProfile::Interface::name) !=
            profile.network_interfaces.end() ||
        std::ranges::find(profile.unused_interfaces, name) != profile.unused_interfaces.end();
    if (!listed && !pci_address(entry.path()).empty()) further.push_back(name);
  }
  std::ranges::sort(further);
  return further;
}

// The limit that the job's tasks will have: propagated from the submit host, or else slurmd's own.
// Empty: unlimited.
std::optional<uint64_t> limit(const Environment& environment, const char* propagated,
                              int resource) {
  const auto found = environment.find(propagated);
  if (found != environment.end()) {
    uint64_t bytes = 0;
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error != std::errc() || bytes == RLIM_INFINITY) return std::nullopt;
    return bytes;
  }
  rlimit own = {};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &own) != 0 ||
      own.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return own.rlim_cur;
}

std::optional<uint64_t> size_of_file_system(const fs::path& path) {
  struct statvfs info = {};
  if (::statvfs(path.c_str(), &info) != 0) return std::nullopt;
  return static_cast<uint64_t>(info.f_blocks) * info.f_frsize;
}

std::string own_architecture() {
  utsname name = {};
  return ::uname(&name) == 0 ? name.machine : "";
}

}  // namespace

NodeFacts look_up(const NodeProfile& profile, const Environment& environment,
                  const fs::path& root) {
  const NodeTransport& transport = profile.transport;
  NodeFacts facts;
  for (const std::string& name : transport.libraries.names) {
    const fs::path path = fs::path(transport.libraries.folder) / name;
    if (::access((root / path.relative_path()).c_str(), R_OK) != 0) {
      facts.missing_libraries.push_back(path);
    }
  }
  for (const NodeProfile::Interface& nic : profile.network_interfaces) {
    facts.interfaces[nic.name] = look_at(nic.name, root);
  }
  facts.further_interfaces = find_further(profile, root);
  if (!transport.daemon.socket.empty()) {
    facts.daemon_answers = socket_answers(transport.daemon.socket, root);
  }
  facts.memlock_bytes = limit(environment, "SLURM_RLIMIT_MEMLOCK", RLIMIT_MEMLOCK);
  facts.stack_is_unlimited = !limit(environment, "SLURM_RLIMIT_STACK", RLIMIT_STACK);
  facts.dev_shm_bytes = size_of_file_system(root / "dev/shm");
  facts.architecture = own_architecture();
  facts.stock = load_transport_stock(root / fs::path(transport_stock_path).relative_path());
  return facts;
}

}  // namespace slipway::nccl_env
