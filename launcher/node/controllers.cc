// Asks the controllers of a cluster whether they answer.
#include "launcher/node/controllers.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/file.h"
#include "common/host_name.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/service.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

// What Slurm says about its controllers. The status is only about the first.
std::string ping(std::chrono::seconds deadline) {
  return run_process({"/usr/bin/scontrol", "ping"}, {.input = "", .deadline = deadline}).output;
}

}  // namespace

std::vector<std::string> controllers_up(const std::string& ping) {
  std::vector<std::string> hosts;
  // "Slurmctld(primary) at c-controller is UP"
  for (const std::string& line : split(ping, '\n')) {
    const std::vector<std::string> words = split(std::string(trim(line)), ' ');
    if (words.size() < 5 || !words[0].starts_with("Slurmctld(")) continue;
    if (words[1] == "at" && words[3] == "is" && words[4] == "UP") {
      hosts.push_back(words[2].substr(0, words[2].find('(')));
    }
  }
  return hosts;
}

std::string controller_in_control(const std::string& ping) {
  const std::vector<std::string> up = controllers_up(ping);
  return up.empty() ? "" : up.front();
}

bool slurmctld_answers() {
  if (!listens(slurmctld_port)) return false;
  const std::string own = own_host_name() + ".";
  return std::ranges::any_of(controllers_up(ping(std::chrono::seconds(10))),
                             [&](const std::string& host) { return own.starts_with(host + "."); });
}

bool is_in_control(const MachineMetadata& self, const ClusterFile& cluster) {
  if (!cluster.backup) return true;
  const std::string host = controller_in_control(ping(std::chrono::seconds(60)));
  if (host.empty()) throw Error("no slurmctld answers");
  return host == self.name;
}

void prepare_shared_state(const Patience& patience, const ClusterFile& cluster,
                          const std::filesystem::path& folder) {
  if (!cluster.backup) return;
  const std::filesystem::path mount = folder.parent_path();
  // On a disk of its own, each controller would run the cluster's jobs.
  persist(patience,
          fmt::format("the file system at {}, which both controllers share", mount.string()), [&] {
            struct stat here = {}, root = {};
            const bool known = ::stat(mount.c_str(), &here) == 0 && ::stat("/", &root) == 0;
            if (!known || here.st_dev == root.st_dev) throw NotYet("it is not mounted");
          });
  make_folder_for("slurm", folder, 0700);
}

}  // namespace slipway::node
