// What a check knows in advance, and where it reports its results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "launcher/health/finding.h"
#include "launcher/health/policy.h"

namespace slipway::health {

enum class Stage { manual, prolog, epilog, periodic, deep };

std::string_view name_of(Stage stage);
std::optional<Stage> stage_named(std::string_view name);

struct Context {
  Stage stage = Stage::manual;
  NodeProfile profile;
  Policy policy;
  std::map<std::string, int64_t> before;  // counters of the last check; in epilog, of the prolog
  std::optional<std::set<unsigned>> job_gpus;  // the GPUs of the prolog's or epilog's job
};

// Collects the results of one family's checks.
class CheckRun {
 public:
  CheckRun(const Context& context, CheckResults& results) : context(context), results_(results) {}

  const Context& context;

  void begin(const char* check) {
    check_ = check;
    results_.checks.emplace_back(check);
  }
  void skip(std::string why) {
    results_.checks.pop_back();
    results_.skipped.push_back({check_, std::move(why)});
  }
  void find(std::string kind, std::string device, std::string evidence) {
    results_.findings.push_back(
        {std::move(kind), std::move(device), std::move(evidence), check_, 0, false});
  }
  // Records something that the next check will not see again.
  void find_event(std::string kind, std::string device, std::string evidence, int xid = 0) {
    results_.findings.push_back(
        {std::move(kind), std::move(device), std::move(evidence), check_, xid, true});
  }
  void fact(const std::string& name, std::string value) { results_.facts[name] = std::move(value); }

  // Records a counter, and returns how much it has grown since the last check; 0 the first time and
  // if it was reset.
  int64_t growth(const std::string& counter, int64_t now) {
    results_.counters[counter] = now;
    const auto before = context.before.find(counter);
    if (before == context.before.end() || now < before->second) return 0;
    return now - before->second;
  }

  // Records the highest value ever seen, and returns it.
  int64_t most(const std::string& counter, int64_t now) {
    const auto before = context.before.find(counter);
    const int64_t most = before == context.before.end() ? now : std::max(now, before->second);
    results_.counters[counter] = most;
    return most;
  }

  double limit(const std::string& name) const { return context.policy.limit(name); }

 private:
  CheckResults& results_;
  std::string check_;
};

}  // namespace slipway::health
