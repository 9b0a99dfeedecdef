// Records where each node's machine is.
#include "launcher/node/physical_hosts.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/json.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

constexpr size_t longest_list = 16 << 20;

PhysicalHosts hosts_in(const std::string& text) {
  PhysicalHosts hosts;
  try {
    const nlohmann::json body = parse_json(text);
    for (const auto& [name, host] : JsonValue(body).members()) hosts[name] = host.text();
  } catch (const Error&) {
    hosts.clear();  // an interrupted write: the next resume and the next one after it fill it again
  }
  return hosts;
}

}  // namespace

void prepare_physical_hosts() {
  const std::filesystem::path path = physical_hosts_path;
  make_directories(path.parent_path());
  if (!std::filesystem::exists(path)) write_file(path, "{}\n");
  give_to("slurm", path);
}

void record_physical_hosts(const PhysicalHosts& found, const std::vector<std::string>& gone,
                           const std::filesystem::path& path) {
  const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) throw_errno(fmt::format("cannot open {}", path.string()));
  if (::flock(file.get(), LOCK_EX) != 0) throw_errno(fmt::format("cannot lock {}", path.string()));
  const PhysicalHosts before = read_physical_hosts(path);
  PhysicalHosts hosts = before;
  for (const std::string& name : gone) hosts.erase(name);
  for (const auto& [name, host] : found) hosts[name] = host;
  if (hosts == before) return;
  const std::string text = nlohmann::json(hosts).dump(1) + "\n";
  if (::pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(file.get(), static_cast<off_t>(text.size())) != 0) {
    throw_errno(fmt::format("cannot write {}", path.string()));
  }
}

PhysicalHosts read_physical_hosts(const std::filesystem::path& path) {
  try {
    return hosts_in(read_regular_file(path, longest_list));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace slipway::node
