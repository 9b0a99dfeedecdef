// What `slipway rehearse` prints.
#include "launcher/commands/rehearse_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "common/count.h"
#include "launcher/commands/duration.h"
#include "launcher/job/checkpoint_theory.h"

namespace slipway::commands {
namespace {

using job::Outcome;

// The goodput that theory predicts for a setting, or for the best interval.
struct Theory {
  explicit Theory(const job::Scenario& scenario)
      : checkpoint(scenario.checkpoint_seconds),
        restart(scenario.detection_seconds + scenario.restart_seconds),
        between(scenario.hours_between_failures * 3600) {}

  double young() const { return job::young_interval(checkpoint, between); }
  double daly() const { return job::daly_interval(checkpoint, between); }
  double goodput(double interval) const {
    return job::daly_goodput(interval, checkpoint, restart, between);
  }
  double first_order(double interval) const {
    return job::first_order_goodput(interval, checkpoint, restart, between);
  }

  double checkpoint, restart, between;
};

}  // namespace

double per_node(const Outcome& outcome, const job::Scenario& scenario) {
  const double nodes = static_cast<double>(scenario.nodes);
  return outcome.mean * nodes / (nodes + static_cast<double>(outcome.setting.spares));
}

const Outcome& best(const Rehearsal& rehearsal) {
  return *std::max_element(rehearsal.outcomes.begin(), rehearsal.outcomes.end(),
                           [&](const Outcome& a, const Outcome& b) {
                             return per_node(a, rehearsal.scenario) <
                                    per_node(b, rehearsal.scenario);
                           });
}

std::string given(const Rehearsal& rehearsal, const Paint& paint) {
  const job::Scenario& s = rehearsal.scenario;
  const Theory theory(s);
  std::string text =
      fmt::format("{}: {}\n{} nodes, a failure every {}; {} days, {} runs, seed {}\n",
                  paint.bold(rehearsal.profile.name), rehearsal.profile.about, s.nodes,
                  duration_text(theory.between), s.days, s.runs, s.seed);
  text += fmt::format("a checkpoint takes {}, detection {}, a restart {}, a repair {}",
                      duration_text(s.checkpoint_seconds), duration_text(s.detection_seconds),
                      duration_text(s.restart_seconds), duration_text(s.repair_hours * 3600));
  if (s.blame < 1) {
    text += fmt::format("; {:.0f} % of bad nodes are found at once, others fail again after {}",
                        s.blame * 100, duration_text(s.relapse_minutes * 60));
  }
  return text + "\n";
}

double theory_of(const job::Scenario& scenario, double interval_seconds) {
  return Theory(scenario).goodput(interval_seconds);
}

namespace {

std::string every_text(const job::Setting& setting) {
  if (setting.memory_seconds <= 0) return duration_text(setting.interval_seconds);
  return duration_text(setting.memory_seconds) + " *";
}

// What checkpoints in memory give, beside the best setting without them and beside theory.
std::string memory_text(const Rehearsal& rehearsal) {
  const Outcome *with = nullptr, *without = nullptr;
  for (const Outcome& each : rehearsal.outcomes) {
    const Outcome*& other = each.setting.memory_seconds > 0 ? with : without;
    if (other == nullptr ||
        per_node(each, rehearsal.scenario) > per_node(*other, rehearsal.scenario))
      other = &each;
  }
  if (with == nullptr || without == nullptr) return "";
  const job::Scenario& s = rehearsal.scenario;
  const double restart = s.detection_seconds + s.restart_seconds;
  const double between = s.hours_between_failures * 3600;
  const double daly = job::daly_interval(s.memory_seconds, between);
  return fmt::format(
      "* in memory, and every {} on disk, for {:.3g} % of failures: a goodput of {:.3f} instead of "
      "{:.3f}.\n  If memory were never lost, theory would give {:.3f} (Daly, every {}).\n",
      duration_text(with->setting.interval_seconds), s.memory_loss * 100, with->mean, without->mean,
      job::daly_goodput(daly, s.memory_seconds, restart, between), duration_text(daly));
}

std::string table(const Rehearsal& rehearsal, const Paint& paint) {
  std::string text = paint.bold(fmt::format("{:>7}{:>12}  {:^31}{:>8}   {:>31}", "", "checkpoint",
                                            "goodput", "per", "parts of the time, %")) +
                     "\n";
  text +=
      paint.bold(fmt::format("{:>7}{:>12}  {:>7}{:>8}{:>8}{:>8}{:>8}   {:>8}{:>8}{:>9}{:>8}{:>9}",
                             "spares", "every", "mean", "5 %", "median", "95 %", "node", "write",
                             "lost", "detect", "wait", "restart")) +
      "\n";
  const Outcome& winner = best(rehearsal);
  for (const Outcome& outcome : rehearsal.outcomes) {
    const job::Times& times = outcome.times;
    const std::string line = fmt::format(
        "{:>7}{:>12}  {:>7.3f}{:>8.3f}{:>8.3f}{:>8.3f}{:>8.3f}   {:>8.2f}{:>8.2f}{:>9.2f}{:>8.2f}"
        "{:>9.2f}",
        outcome.setting.spares, every_text(outcome.setting), outcome.mean, outcome.low,
        outcome.median, outcome.high, per_node(outcome, rehearsal.scenario),
        times.checkpoints * 100, times.lost_work * 100, times.detection * 100, times.waiting * 100,
        times.restart * 100);
    text += (&outcome == &winner ? paint.green(line) : line) + "\n";
  }
  return text;
}

std::string causes(const Rehearsal& rehearsal, const Paint& paint) {
  const Outcome& winner = best(rehearsal);
  std::vector<size_t> order(winner.causes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return winner.causes[a].lost > winner.causes[b].lost;
  });
  std::string text =
      paint.bold(fmt::format("{:<29}{:>14}{:>12}", "cause", "interruptions", "of time, %")) + "\n";
  for (size_t i : order) {
    text += fmt::format("{:<29}{:>14.1f}{:>12.3f}\n", rehearsal.scenario.causes[i].name,
                        winner.causes[i].interruptions, winner.causes[i].lost * 100);
  }
  return text;
}

nlohmann::ordered_json setting_json(const Rehearsal& rehearsal, const Outcome& outcome) {
  const Theory theory(rehearsal.scenario);
  const double interval = outcome.setting.interval_seconds;
  const job::Times& times = outcome.times;
  nlohmann::ordered_json json{
      {"spares", outcome.setting.spares},
      {"checkpoint_interval_seconds", interval},
      {"memory_interval_seconds", outcome.setting.memory_seconds},
      {"goodput",
       {{"mean", outcome.mean},
        {"standard_error", outcome.standard_error},
        {"p05", outcome.low},
        {"median", outcome.median},
        {"p95", outcome.high}}},
      {"goodput_per_allocated_node", per_node(outcome, rehearsal.scenario)},
      {"theory",
       {{"first_order", theory.first_order(interval)}, {"daly", theory.goodput(interval)}}},
      {"time",
       {{"productive", times.productive},
        {"checkpoints", times.checkpoints},
        {"lost_work", times.lost_work},
        {"detection", times.detection},
        {"waiting", times.waiting},
        {"restart", times.restart}}},
      {"interruptions", outcome.interruptions}};
  json["causes"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < outcome.causes.size(); ++i) {
    json["causes"].push_back({{"cause", rehearsal.scenario.causes[i].name},
                              {"interruptions", outcome.causes[i].interruptions},
                              {"lost", outcome.causes[i].lost}});
  }
  return json;
}

}  // namespace

std::string as_text(const Rehearsal& rehearsal, const Paint& paint) {
  const Theory theory(rehearsal.scenario);
  std::string text =
      given(rehearsal, paint) + "\n" + table(rehearsal, paint) + memory_text(rehearsal);
  text += fmt::format(
      "\nWith enough nodes, theory prefers a checkpoint every {} (Young: {:.3f}) or {} "
      "(Daly: {:.3f}).\n",
      duration_text(theory.young()), theory.goodput(theory.young()), duration_text(theory.daly()),
      theory.goodput(theory.daly()));
  const Outcome& winner = best(rehearsal);
  text += fmt::format(
      "Best per paid node: {}, a checkpoint every {}; "
      "{:.1f} interruptions:\n\n",
      counted(winner.setting.spares, "spare"), every_text(winner.setting), winner.interruptions);
  return text + causes(rehearsal, paint);
}

std::string as_json(const Rehearsal& rehearsal) {
  const job::Scenario& s = rehearsal.scenario;
  const Theory theory(s);
  const Outcome& winner = best(rehearsal);
  nlohmann::ordered_json json{{"schema", "slipway/rehearsal/1"},
                              {"failures", rehearsal.profile.name},
                              {"source", rehearsal.profile.source},
                              {"nodes", s.nodes},
                              {"hours_between_failures", s.hours_between_failures},
                              {"days", s.days},
                              {"checkpoint_cost_seconds", s.checkpoint_seconds},
                              {"memory_cost_seconds", s.memory_seconds},
                              {"memory_loss", s.memory_loss},
                              {"detection_seconds", s.detection_seconds},
                              {"restart_seconds", s.restart_seconds},
                              {"repair_hours", s.repair_hours},
                              {"blame", s.blame},
                              {"relapse_minutes", s.relapse_minutes},
                              {"runs", s.runs},
                              {"seed", s.seed},
                              {"young_interval_seconds", theory.young()},
                              {"daly_interval_seconds", theory.daly()},
                              {"best",
                               {{"spares", winner.setting.spares},
                                {"checkpoint_interval_seconds", winner.setting.interval_seconds}}}};
  json["settings"] = nlohmann::ordered_json::array();
  for (const Outcome& outcome : rehearsal.outcomes) {
    json["settings"].push_back(setting_json(rehearsal, outcome));
  }
  return json.dump(2) + "\n";
}

}  // namespace slipway::commands
