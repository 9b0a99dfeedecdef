// `slipway health admit`: lets jobs have nodes once their deep checks have passed.

#include <filesystem>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/node_loop.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/standby.h"
#include "launcher/node/admission.h"
#include "launcher/node/admission_slurm.h"

namespace slipway::commands {
namespace {

constexpr const char* admission_memory = "/var/lib/slipway/admission.json";

void admit_once(const std::string& policy_file, const std::string& memory_file) {
  if (is_standby()) return;
  const health::Policy policy = read_policy(policy_file);
  const node::AdmissionView view = node::read_admission_view();
  node::AdmissionPlan plan =
      plan_admission(view, policy.deep_checks, node::load_admission_memory(memory_file));
  const std::string program = (find_installation().programs() / "slipway").string();
  carry_out(plan, view, policy, program, log_line);
  make_directories(std::filesystem::path(memory_file).parent_path());
  save_admission_memory(memory_file, plan.memory);
}

}  // namespace

int health_admit(Args args) {
  std::string policy, memory = admission_memory;
  int64_t interval = 15;
  CommandLine line("slipway health admit",
                   "Check nodes deeply before jobs may have them, and admit those that pass.");
  line.about(
      "The controller runs it as root, if the health policy has `deep_checks`. Nodes that start "
      "or come back wait in the maintenance reservation slipway-deep-checks. Jobs of root check "
      "them there: the deep stage on each node, and a scan of pairs with nodes in service. A node "
      "that does not pass is drained.");
  line.option("policy", "FILE", "the health policy", &policy, health::usual_policy_files());
  line.option("interval", "SECONDS", "between two readings of Slurm's state", &interval);
  line.option("memory", "FILE", "keeps which jobs check which nodes", &memory);
  line.example("slipway health admit", "as root, on the controller");
  line.example("squeue --name=slipway-deep-checks", "the checks that run now");
  line.file(admission_memory, "what it remembers; without it, nodes are checked again");
  line.see_also("slipway-health(1)");
  if (!line.parse(args)) return 0;
  if (interval < 1 || interval > 3600) throw UsageError("--interval is from 1 to 3600 seconds");
  require_root();
  if (!policy.empty()) policy = std::filesystem::absolute(policy);
  memory = std::filesystem::absolute(memory);
  forget_the_caller();
  run_every(std::chrono::seconds(interval), [&] { admit_once(policy, memory); });
}

}  // namespace slipway::commands
