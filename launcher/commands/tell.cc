// `slipway tell`: tells people what happens on a cluster.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/host_name.h"
#include "common/node_profile.h"
#include "common/process.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/node_loop.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/standby.h"
#include "launcher/commands/verb.h"
#include "launcher/tell/cluster_watch.h"
#include "launcher/tell/teller.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* tell_memory = "/var/lib/slipway/tell.json";
constexpr std::chrono::seconds told_slurm_limit{30};  // for one reading of Slurm's state

// Slurm's name of the cluster, or this machine's.
std::string told_cluster() {
  try {
    return load_node_profile().cluster;
  } catch (const Error&) {
    return own_host_name();
  }
}

// Changes with the files from which a policy is read.
std::string policy_stamp(const std::string& own) {
  std::string stamp;
  for (const fs::path& path :
       {fs::path(own), fs::path(health::own_policy_path), fs::path(health::cluster_policy_path)}) {
    std::error_code missing;
    const auto written = fs::last_write_time(path, missing);
    stamp += missing ? "-;" : fmt::format("{};", written.time_since_epoch().count());
  }
  return stamp;
}

// Watches the cluster and tells what is new.
class TellService {
 public:
  TellService(std::string policy, fs::path memory)
      : policy_(std::move(policy)), file_(std::move(memory)), memory_(tell::load_memory(file_)) {}

  void run_once() {
    read_changed_policy();
    const auto now = std::time(nullptr);
    const tell::ClusterState state =
        tell::read_cluster(std::chrono::steady_clock::now() + told_slurm_limit);
    auto news = tell::news(state, cluster_, telling_.job_nodes, memory_.known);
    if (!news.empty() && is_standby()) news.clear();  // the controller in control tells it
    for (tell::Message& message : news) {
      if (!telling_.tells(message.event)) continue;
      log_line(line_of(message));
      teller_->tell(std::move(message), now);
    }
    teller_->send(cluster_, now);
    keep();  // if this is killed before, it tells again
  }

 private:
  // A policy that is wrong now leaves the last one in force.
  void read_changed_policy() {
    const std::string stamp = policy_stamp(policy_);
    if (stamp == stamp_ && teller_) return;
    stamp_ = stamp;
    telling_ = read_policy(policy_).tell;
    if (!telling_.tells())
      log_line("the policy names no program, webhook or mail: nobody gets messages");
    if (teller_) memory_.sent = teller_->limit().state();
    teller_.emplace(telling_, log_line);
    teller_->limit().restore(memory_.sent);
  }

  void keep() {
    memory_.sent = teller_->limit().state();
    make_directories(file_.parent_path());
    save_memory(file_, memory_);
  }

  std::string policy_, stamp_;
  fs::path file_;
  std::string cluster_ = told_cluster();
  tell::Memory memory_;
  health::Telling telling_;
  std::optional<tell::Teller> teller_;
};

int serve_tell(Args args) {
  std::string policy, memory = tell_memory;
  int64_t interval = 30;
  CommandLine line("slipway tell serve", "Tell people when something fails on the cluster.");
  line.about(
      "The controller runs it as root, if the health policy names a program, a webhook or mail "
      "under `tell`. It reads Slurm's state, which has the reasons of drains.");
  line.option("policy", "FILE", "the health policy", &policy, health::usual_policy_files());
  line.option("interval", "SECONDS", "between two readings of Slurm's state", &interval);
  line.option("memory", "FILE", "keeps what it has sent", &memory);
  line.example("slipway tell serve", "as root, on the controller");
  line.example("slipway tell serve --policy health.yaml --interval 60",
               "on any machine with Slurm's commands");
  line.see_also("slipway-tell-test(1)");
  if (!line.parse(args)) return 0;
  if (interval < 1 || interval > 86400) throw UsageError("--interval is from 1 to 86400 seconds");
  require_root();
  if (!policy.empty()) policy = fs::absolute(policy);
  memory = fs::absolute(memory);
  forget_the_caller();
  TellService service(policy, memory);
  run_every(std::chrono::seconds(interval), [&] { service.run_once(); });
}

int test_tell(Args args) {
  std::string policy;
  CommandLine line("slipway tell test", "Send a test message, and report whether it arrived.");
  line.option("policy", "FILE", "the health policy", &policy, health::usual_policy_files());
  line.example("slipway tell test", "as root, on the controller");
  line.example("slipway tell test --policy health.yaml", "before the policy is in force");
  line.exit_status("1", "it did not arrive everywhere, or the policy names nobody");
  line.see_also("slipway-tell-serve(1)");
  if (!line.parse(args)) return 0;
  const health::Telling telling = read_policy(policy).tell;
  const std::vector<std::string> channels = tell::channels_of(telling);
  if (channels.empty()) throw Error("the policy names no program, webhook or mail under `tell`");
  const tell::Message message{"test", told_cluster(), "", "", "a test of `slipway tell`"};
  const std::vector<tell::Undelivered> failed = tell::deliver(message, telling, channels);
  for (const std::string& channel : channels) {
    const auto found = std::ranges::find(failed, channel, &tell::Undelivered::channel);
    fmt::print("{}: {}\n", channel, found == failed.end() ? "taken" : found->why);
  }
  return failed.empty() ? 0 : 1;
}

}  // namespace

int tell(Args args) {
  static const Verb verb{
      "slipway tell",
      "Tell people when something fails: by a program, a webhook, or mail.",
      "Drains with their reasons, nodes that the circuit breaker kept in service, and jobs that "
      "failed. The health policy names the receivers, under `tell`.",
      {{"serve", serve_tell}, {"test", test_tell}},
      {{"slipway tell test", "try the program, the webhook and the mail of the policy"},
       {"slipway health policy", "print the policy"}}};
  return run_part(verb, args);
}

}  // namespace slipway::commands
