// Reads the results of `slipway health` on the agent's node.
#include "launcher/job/node_health.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <future>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/health/policy.h"

namespace slipway::job {
namespace {

using nlohmann::json;

constexpr auto between_calls = std::chrono::milliseconds(10);

bool asks_for_a_drain(const std::string& action) {
  const auto known = health::action_named(action);
  return known && *known >= health::Action::drain;
}

bool is_event(const std::string& check) {
  return check == "gpu_xid" || check == "kernel_log";
}

std::string words_of(const json& finding) {
  const std::string device = finding.at("device");
  return fmt::format("{}{}{}: {} ({})", finding.at("check").get<std::string>(),
                     device.empty() ? "" : " ", device, finding.at("evidence").get<std::string>(),
                     finding.at("action").get<std::string>());
}

std::vector<std::string> reasons_in(const json& verdict, Events events) {
  std::vector<std::string> reasons;
  for (const json& finding : verdict.at("findings")) {
    if (!asks_for_a_drain(finding.at("action"))) continue;
    if (events == Events::left_out && is_event(finding.at("check"))) continue;
    reasons.push_back(words_of(finding));
  }
  return reasons;
}

}  // namespace

std::vector<std::string> reasons_against(std::string_view verdict, Events events) {
  try {
    return reasons_in(json::parse(verdict), events);
  } catch (const json::exception&) {
    return {};
  }
}

std::vector<std::string> check_this_node(std::chrono::milliseconds deadline,
                                         const std::function<void()>& meanwhile) {
  auto check = std::async(std::launch::async, [deadline]() -> std::string {
    try {
      return run_process({"/proc/self/exe", "health", "--json"}, {"", deadline}).output;
    } catch (const Error&) {
      return "";
    }
  });
  while (check.wait_for(between_calls) != std::future_status::ready) meanwhile();
  return reasons_against(check.get(), Events::left_out);
}

void check_before_joining(const std::string& node) {
  const std::vector<std::string> reasons = check_this_node(health_limit, [] {});
  if (reasons.empty()) return;
  throw Error(fmt::format("{} does not join the job: {}", node, join(reasons, "; ")));
}

HealthWatch::HealthWatch(std::filesystem::path last_verdict)
    : file_(std::move(last_verdict)), seen_(written()) {}

int64_t HealthWatch::written() const {
  struct stat file = {};
  if (::stat(file_.c_str(), &file) != 0) return 0;
  return file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec;
}

std::vector<std::string> HealthWatch::news() {
  const int64_t now = written();
  if (now == seen_) return {};
  seen_ = now;
  try {
    const json verdict = json::parse(read_file(file_));
    if (verdict.at("slurm") == "drained") return reasons_in(verdict, Events::counted);
  } catch (const std::exception&) {
    // Unreadable, or written by another version: assume that nothing is wrong.
  }
  return {};
}

}  // namespace slipway::job
