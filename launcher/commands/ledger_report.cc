// What `slipway ledger` prints: a table, or JSON.
#include "launcher/commands/ledger_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/count.h"
#include "launcher/commands/duration.h"

namespace slipway::commands {
namespace {

using job::Goodput;
using job::Phase;

std::string span_text(int64_t milliseconds) {
  return duration_text(static_cast<double>(milliseconds) / 1000);
}

double percent(int64_t part_ms, const Goodput& goodput) {
  const int64_t all = goodput.end_ms - goodput.begin_ms;
  return all > 0 ? 100 * static_cast<double>(part_ms) / static_cast<double>(all) : 0;
}

std::string summary(const Goodput& goodput, const Paint& paint) {
  std::string text = fmt::format(
      "{}: {} after {}, {}, {}, from {} to {}\n", paint.bold(fmt::format("job {}", goodput.job)),
      goodput.result.empty() ? "not ended" : goodput.result,
      span_text(goodput.end_ms - goodput.begin_ms), counted(goodput.attempts, "attempt"),
      counted(goodput.requeues, "requeue"), job::time_text(goodput.begin_ms),
      job::time_text(goodput.end_ms));
  if (const auto ratio = goodput.ratio()) {
    text += fmt::format("goodput {:.3f}, {}", *ratio, counted(goodput.steps, "step"));
    if (goodput.lost_steps > 0) text += fmt::format(" and {} done again", goodput.lost_steps);
  } else {
    text += "goodput unknown: the program reported no steps";
  }
  if (goodput.joules) text += ", " + energy_text(goodput);
  return text + "\n";
}

}  // namespace

std::string energy_text(const Goodput& goodput) {
  return fmt::format("GPU energy {}{:.3f} kWh", goodput.all_joules ? "" : "at least ",
                     goodput.joules.value_or(0) / 3.6e6);
}

std::string goodput_text(const Goodput& goodput, const Paint& paint) {
  std::string text = summary(goodput, paint) + "\n";
  text += paint.bold(fmt::format("{:<28}{:>10}{:>9}", "time", "", "of all")) + "\n";
  for (size_t i = 0; i < job::phases; ++i) {
    if (goodput.phase_ms[i] == 0) continue;
    text += fmt::format("{:<28}{:>10}{:>7.1f} %\n", phase_name(static_cast<Phase>(i)),
                        span_text(goodput.phase_ms[i]), percent(goodput.phase_ms[i], goodput));
  }
  if (goodput.causes.empty()) return text;
  text += "\n" +
          paint.bold(fmt::format("{:<28}{:>10}{:>9}{:>10}{:>13}", "lost to, and who was blamed",
                                 "time", "of all", "failures", "steps again")) +
          "\n";
  for (const job::LostTime& cause : goodput.causes) {
    text += fmt::format("{:<28}{:>10}{:>7.1f} %{:>10}{:>13}\n",
                        fmt::format("{}, {}", cause.what, cause.blame), span_text(cause.lost_ms),
                        percent(cause.lost_ms, goodput), cause.failures, cause.lost_steps);
  }
  if (goodput.blamed.empty()) return text;
  text += "\n" + paint.bold("blamed nodes") + "\n";
  for (const job::Blamed& blamed : goodput.blamed) {
    text += fmt::format("{}: {} in attempt {}\n", blamed.node, blamed.what, blamed.attempt);
    for (const std::string& evidence : blamed.evidence) text += wrapped(evidence, 2);
  }
  return text;
}

nlohmann::ordered_json goodput_json(const Goodput& goodput) {
  nlohmann::ordered_json json{{"schema", "slipway/account/1"},
                              {"job", goodput.job},
                              {"begin", job::time_text(goodput.begin_ms)},
                              {"end", job::time_text(goodput.end_ms)},
                              {"result", nullptr},
                              {"attempts", goodput.attempts},
                              {"requeues", goodput.requeues},
                              {"goodput", nullptr},
                              {"steps", goodput.steps},
                              {"lost_steps", goodput.lost_steps},
                              {"gpu_energy_joules", nullptr},
                              {"gpu_energy_is_complete", goodput.joules && goodput.all_joules}};
  if (!goodput.result.empty()) json["result"] = goodput.result;
  if (const auto ratio = goodput.ratio()) json["goodput"] = *ratio;
  if (goodput.joules) json["gpu_energy_joules"] = *goodput.joules;
  for (size_t i = 0; i < job::phases; ++i) {
    std::string name = phase_name(static_cast<Phase>(i));
    for (char& c : name) c = c == ' ' ? '_' : c;
    json["seconds"][name] = static_cast<double>(goodput.phase_ms[i]) / 1000;
  }
  json["causes"] = nlohmann::ordered_json::array();
  for (const job::LostTime& cause : goodput.causes) {
    json["causes"].push_back({{"what", cause.what},
                              {"blame", cause.blame},
                              {"failures", cause.failures},
                              {"lost_seconds", static_cast<double>(cause.lost_ms) / 1000},
                              {"lost_steps", cause.lost_steps}});
  }
  json["blamed_nodes"] = nlohmann::ordered_json::array();
  for (const job::Blamed& blamed : goodput.blamed) {
    json["blamed_nodes"].push_back({{"node", blamed.node},
                                    {"attempt", blamed.attempt},
                                    {"what", blamed.what},
                                    {"evidence", blamed.evidence}});
  }
  return json;
}

}  // namespace slipway::commands
