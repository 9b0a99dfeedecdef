// How long nccl_env takes inside its callbacks: nccl_env_callbacks PLUGIN
//
// A step of eight tasks with everything that a transport can have: a vendor's profile, libraries, nine
// interfaces, version sets, rules. Microseconds, of 200 steps.
#include <fmt/core.h>

#include <algorithm>

#include "common/file.h"
#include "common/node_profile.h"
#include "tests/fakes/spank/fake_slurm.h"
#include "tests/unit/temporary_directory.h"

namespace {

slipway::NodeProfile profile(const TemporaryDirectory& folder) {
  slipway::NodeProfile profile;
  profile.node = "bench-0";
  profile.machine_type = "a3-megagpu-8g";
  std::string script;
  for (int i = 0; i < 25; ++i) script += fmt::format("export NCCL_VENDOR_{}=\"${{nics}}\"\n", i);
  slipway::write_file(folder / "profile.sh", script);
  slipway::NodeTransport& transport = profile.transport;
  transport.name = "tcpxo";
  transport.vendor_profile = {folder / "profile.sh", {{"nics", "enp6s0,enp7s0"}}};
  transport.libraries = {folder.path(), {"libnccl-net.so", "libnccl-tuner.so"}, true};
  transport.version_sets = {8, {"1.0.17", "1.0.23", "2.28.7"}};
  transport.limits = {1 << 30, 1 << 30, "2.28"};
  transport.fatal = {4, {"2.24", "", "", "", "NCCL_ALGO", "Tree", false, "no"}};
  for (int i = 0; i < 9; ++i) {
    profile.network_interfaces.push_back(
        {i == 0 ? "lo" : fmt::format("enp{}s0", i), i == 0 ? "host" : "gpu", "net", "", 8244});
    transport.environment.push_back({fmt::format("NCCL_OURS_{}", i), "1", "why"});
  }
  return profile;
}

void report(const char* what, std::vector<double> seconds) {
  std::ranges::sort(seconds);
  fmt::print("{:<28} {:8.1f} {:8.1f} {:8.1f} {:6}\n", what, seconds[seconds.size() / 2] * 1e6,
             seconds.front() * 1e6, seconds[seconds.size() * 95 / 100] * 1e6, seconds.size());
}

}  // namespace

int main(int, char** argv) {
  const TemporaryDirectory folder;
  slipway::write_file(folder / "node.json", to_json(profile(folder)));
  const fake_slurm::Plugin plugin{argv[1], {"profile=" + (folder / "node.json").string()}};
  std::vector<double> of_node, of_task, each;
  for (int i = 0; i < 200; ++i) {
    const fake_slurm::Step step = fake_slurm::run_step(plugin, {{"HOME", "/home/ada"}}, {}, 8);
    of_node.push_back(step.seconds);
    for (const fake_slurm::Task& task : step.tasks) {
      of_task.push_back(task.seconds);
      each.push_back(task.seconds + step.seconds / 8);
    }
  }
  fmt::print("{:<28} {:>8} {:>8} {:>8} {:>6}\n", "microseconds", "median", "least", "95 %", "runs");
  report("init and user_init, a node", of_node);
  report("task_init, a task", of_task);
  report("both, a task of eight", each);
}
