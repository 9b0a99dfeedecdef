// `slipway rehearse`: simulates a training job whose nodes fail, to choose spares and checkpoints.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/command_line.h"
#include "common/error.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/status_line.h"
#include "common/text.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/commands/rehearse_report.h"
#include "launcher/job/checkpoint_theory.h"
#include "launcher/source/diagnostics.h"

namespace slipway::commands {
namespace {

using job::FailureProfile;
using job::Setting;

// The options; a number that was not given is below 0.
struct Typed {
  std::string profile = "llama-3";
  int64_t nodes = -1, runs = 200, seed = 1;
  double per_1000_node_days = -1, days = 30;
  double memory = -1, memory_loss = -1;
  double checkpoint = 30, detection = 10, restart = 300, repair = 24, blame = 1, relapse = 30;
  std::string spares, intervals;
  bool json = false;
  std::string page;
};

constexpr double most_failures = 5e8;  // in one simulation: about a minute

FailureProfile find_profile(const std::string& name) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  auto profiles =
      job::load_failures(find_installation().blueprints() / "catalogue", sources, diagnostics);
  show(diagnostics);
  if (diagnostics.errors() > 0) throw ReportedError("the catalogue is wrong");
  std::vector<std::string> known;
  for (FailureProfile& profile : profiles) {
    if (profile.name == name) return std::move(profile);
    known.push_back(profile.name);
  }
  throw UsageError(fmt::format("unknown failures `{}`; known: {}", name, join(known, ", ")));
}

void require(bool fine, std::string_view option, std::string_view expected) {
  if (!fine) throw UsageError(fmt::format("--{} takes {}", option, expected));
}

bool within(double value, double least, double most) {
  return value >= least && value <= most;  // false for NaN
}

// "10,30,60"
std::vector<double> numbers(const std::string& list, std::string_view option, double least,
                            std::string_view expected) {
  std::vector<double> values;
  for (const std::string& word : split(list, ',')) {
    const auto value = to_number<double>(word);
    require(value && within(*value, least, 1e6), option, expected);
    values.push_back(*value);
  }
  require(!values.empty(), option, expected);
  return values;
}

void check(const Typed& typed) {
  require(typed.nodes == -1 || within(static_cast<double>(typed.nodes), 1, 1e6), "nodes",
          "a number from 1 to 1000000");
  require(typed.per_1000_node_days == -1 || within(typed.per_1000_node_days, 1e-6, 1e6), "rate",
          "a number above 0");
  require(within(typed.days, 1e-3, 36500), "days", "a number above 0, up to 36500");
  require(within(typed.checkpoint, 1e-3, 1e6), "checkpoint-cost", "a number of seconds above 0");
  require(typed.memory == -1 || within(typed.memory, 1e-3, 1e6), "memory-cost",
          "a number of seconds above 0");
  require(typed.memory_loss == -1 || within(typed.memory_loss, 0, 1), "memory-loss",
          "a number from 0 to 1");
  if (typed.memory_loss >= 0 && typed.memory < 0)
    throw UsageError("--memory-loss has no effect without --memory-cost");
  require(within(typed.detection, 0, 1e6), "detection", "a number of seconds");
  require(within(typed.restart, 0, 1e6), "restart", "a number of seconds");
  require(within(typed.repair, 0, 1e6), "repair", "a number of hours");
  require(within(typed.blame, 0.1, 1), "blame", "a number from 0.1 to 1");
  require(within(typed.relapse, 1, 1e6), "relapse", "a number of minutes from 1 on");
  require(within(static_cast<double>(typed.runs), 1, 1e6), "runs", "a number from 1 to 1000000");
  require(typed.seed >= 0, "seed", "a whole number");
}

job::Scenario scenario_of(const Typed& typed, FailureProfile profile) {
  if (typed.per_1000_node_days > 0) {
    profile.measured.clear();
    profile.per_1000_node_days = typed.per_1000_node_days;
  }
  job::Scenario scenario;
  scenario.nodes = typed.nodes > 0 ? typed.nodes : profile.nodes;
  scenario.hours_between_failures = profile.hours_between_failures(scenario.nodes);
  scenario.causes = profile.causes;
  scenario.days = typed.days;
  scenario.checkpoint_seconds = typed.checkpoint;
  scenario.memory_seconds = std::max(0.0, typed.memory);
  scenario.memory_loss =
      typed.memory_loss >= 0 ? typed.memory_loss : 1 / static_cast<double>(scenario.nodes);
  scenario.detection_seconds = typed.detection;
  scenario.restart_seconds = typed.restart;
  scenario.repair_hours = typed.repair;
  scenario.blame = typed.blame;
  scenario.relapse_minutes = typed.relapse;
  scenario.runs = typed.runs;
  scenario.seed = static_cast<uint64_t>(typed.seed);
  return scenario;
}

std::vector<double> intervals_of(const Typed& typed, const job::Scenario& scenario) {
  if (typed.intervals.empty()) {
    const double best =
        job::young_interval(scenario.checkpoint_seconds, scenario.hours_between_failures * 3600);
    return {best / 2, best, best * 2};
  }
  std::vector<double> intervals = numbers(typed.intervals, "checkpoint-interval", 1e-3,
                                          "minutes above 0, with commas between them");
  for (double& interval : intervals) interval *= 60;
  return intervals;
}

std::vector<double> spares_of(const Typed& typed, const job::Scenario& scenario) {
  if (typed.spares.empty()) {
    const double in_repair = std::ceil(job::nodes_in_repair(scenario));
    return in_repair < 1 ? std::vector<double>{0}
                         : std::vector<double>{0, in_repair, 2 * in_repair};
  }
  constexpr std::string_view expected = "whole numbers, with commas between them";
  std::vector<double> all = numbers(typed.spares, "spares", 0, expected);
  for (double spares : all) require(spares == std::floor(spares), "spares", expected);
  return all;
}

// Checkpoints in memory, and as many on disk as failures call for that take the memory along:
// Young's optimum of both.
Setting with_memory(int64_t spares, const job::Scenario& scenario) {
  const double between = scenario.hours_between_failures * 3600;
  const double memory = job::young_interval(scenario.memory_seconds, between);
  const double all = scenario.days * 24 * 3600;
  const double disk = scenario.memory_loss > 0
                          ? std::min(all, job::young_interval(scenario.checkpoint_seconds,
                                                              between / scenario.memory_loss))
                          : all;
  return {spares, std::max(disk, memory), memory};
}

std::vector<Setting> settings_of(const Typed& typed, const job::Scenario& scenario) {
  std::vector<Setting> settings;
  for (double spares : spares_of(typed, scenario)) {
    for (double interval : intervals_of(typed, scenario)) {
      settings.push_back({static_cast<int64_t>(spares), interval});
    }
    if (scenario.memory_seconds > 0)
      settings.push_back(with_memory(static_cast<int64_t>(spares), scenario));
  }
  const double failures = scenario.days * 24 / scenario.hours_between_failures / scenario.blame;
  const double all = failures * static_cast<double>(scenario.runs * std::ssize(settings));
  if (all > most_failures) {
    throw Error(
        fmt::format("this would simulate {:.2g} failures, more than {:.2g}; choose fewer runs, "
                    "days or settings",
                    all, most_failures));
  }
  return settings;
}

void add_options(CommandLine& line, Typed& typed) {
  line.option("failures", "llama-3|rsc-1|rsc-1-jobs|rsc-2", "what fails, and how often",
              &typed.profile);
  line.option("nodes", "N", "nodes of the job", &typed.nodes, "as published with the failures");
  line.option("rate", "N", "failures per 1000 node-days", &typed.per_1000_node_days,
              "as published with the failures");
  line.option("days", "DAYS", "length of a run", &typed.days);
  line.option("spares", "N,...", "numbers of spare nodes to try", &typed.spares,
              "0, the mean number in repair, and twice that");
  line.option("checkpoint-interval", "MINUTES,...", "times between checkpoints to try",
              &typed.intervals, "Young's optimum, half and twice that");
  line.option("checkpoint-cost", "SECONDS", "how long a checkpoint stops the work",
              &typed.checkpoint);
  line.option("memory-cost", "SECONDS",
              "how long a checkpoint in memory stops the work: also tries `slipway launch "
              "--fast-checkpoints`",
              &typed.memory, "without them");
  line.option("memory-loss", "P", "chance that a failure takes all copies in memory along",
              &typed.memory_loss, "that of the node with the batch script, 1 in all nodes");
  line.option("detection", "SECONDS", "time to detect a failure", &typed.detection);
  line.option("restart", "SECONDS", "time from then to the first step", &typed.restart);
  line.option("repair", "HOURS", "time to repair a node", &typed.repair);
  line.option("blame", "P", "chance to find the node at fault at once", &typed.blame);
  line.option("relapse", "MINUTES", "time to the next failure of a bad node that was not found",
              &typed.relapse);
  line.option("runs", "N", "number of runs", &typed.runs);
  line.option("seed", "N", "choose other random numbers", &typed.seed);
  line.json("schema slipway/rehearsal/1", &typed.json);
  line.option("html", "FILE", "write a page with a picture instead; - is stdout", &typed.page);
  line.example("slipway rehearse --nodes 512 --spares 0,4,8,16", "how many spares?");
  line.example("slipway rehearse --failures rsc-1 --checkpoint-interval 5,10,20,40 --spares 16",
               "how often a checkpoint?");
  line.example("slipway rehearse --memory-cost 1", "are checkpoints in memory worth it?");
  line.example("slipway rehearse --nodes 512 --html rehearsal.html", "draw it for a browser");
  line.see_also("slipway-launch(1)");
}

}  // namespace

int rehearse(Args args) {
  Typed typed;
  CommandLine line("slipway rehearse",
                   "Simulate a training job whose nodes fail, to choose spares and checkpoints.");
  line.about(
      "It prints how much of the time is productive for each number of spares and checkpoint "
      "interval. Failure rates are published ones. The same options give the same result.");
  add_options(line, typed);
  if (!line.parse(args)) return 0;
  check(typed);
  if (typed.json && !typed.page.empty()) throw UsageError("--json and --html exclude each other");
  if (typed.memory > 0 && !typed.page.empty())
    throw UsageError("--html does not show checkpoints in memory: leave out --memory-cost");
  Rehearsal rehearsal;
  rehearsal.profile = find_profile(typed.profile);
  rehearsal.scenario = scenario_of(typed, rehearsal.profile);
  const std::vector<Setting> settings = settings_of(typed, rehearsal.scenario);
  StatusLine status;
  for (const Setting& setting : settings) {
    status.show(
        fmt::format("simulating setting {} of {}", rehearsal.outcomes.size() + 1, settings.size()));
    rehearsal.outcomes.push_back(job::rehearse(rehearsal.scenario, setting));
  }
  status.clear();
  if (!typed.page.empty()) {
    write_result(typed.page, as_page(rehearsal));
    return 0;
  }
  std::fputs(
      (typed.json ? as_json(rehearsal) : for_locale(as_text(rehearsal, stdout_paint()))).c_str(),
      stdout);
  return 0;
}

}  // namespace slipway::commands
