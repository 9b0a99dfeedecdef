// What `slipway ledger` prints: a table, or JSON.
#include "launcher/commands/ledger_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "launcher/commands/duration.h"

namespace slipway::commands {
namespace {

using job::Account;
using job::Phase;

std::string span_text(int64_t milliseconds) {
  return duration_text(static_cast<double>(milliseconds) / 1000);
}

double percent(int64_t part_ms, const Account& account) {
  const int64_t all = account.end_ms - account.begin_ms;
  return all > 0 ? 100 * static_cast<double>(part_ms) / static_cast<double>(all) : 0;
}

std::string summary(const Account& account, const Paint& paint) {
  std::string text = fmt::format(
      "{}: {} after {}, {}, {}, from {} to {}\n", paint.bold(fmt::format("job {}", account.job)),
      account.result.empty() ? "without an end" : account.result,
      span_text(account.end_ms - account.begin_ms), counted(account.attempts, "attempt"),
      counted(account.requeues, "requeue"), job::time_text(account.begin_ms),
      job::time_text(account.end_ms));
  if (const auto goodput = account.goodput()) {
    text += fmt::format("goodput {:.3f}, {}", *goodput, counted(account.steps, "step"));
    if (account.lost_steps > 0) text += fmt::format(" and {} done again", account.lost_steps);
  } else {
    text += "goodput unknown: the program reported no steps";
  }
  if (account.joules) text += ", " + energy_text(account);
  return text + "\n";
}

}  // namespace

std::string counted(int64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string energy_text(const Account& account) {
  return fmt::format("GPU energy {}{:.3f} kWh", account.all_joules ? "" : "at least ",
                     account.joules.value_or(0) / 3.6e6);
}

std::string account_text(const Account& account, const Paint& paint) {
  std::string text = summary(account, paint) + "\n";
  text += paint.bold(fmt::format("{:<28}{:>10}{:>9}", "time", "", "of all")) + "\n";
  for (size_t i = 0; i < job::phases; ++i) {
    if (account.phase_ms[i] == 0) continue;
    text += fmt::format("{:<28}{:>10}{:>7.1f} %\n", phase_name(static_cast<Phase>(i)),
                        span_text(account.phase_ms[i]), percent(account.phase_ms[i], account));
  }
  if (account.causes.empty()) return text;
  text += "\n" +
          paint.bold(fmt::format("{:<28}{:>10}{:>9}{:>10}{:>13}", "lost to, and who was blamed",
                                 "time", "of all", "failures", "steps again")) +
          "\n";
  for (const job::LostTime& cause : account.causes) {
    text += fmt::format("{:<28}{:>10}{:>7.1f} %{:>10}{:>13}\n",
                        fmt::format("{}, {}", cause.what, cause.blame), span_text(cause.lost_ms),
                        percent(cause.lost_ms, account), cause.failures, cause.lost_steps);
  }
  if (account.blamed.empty()) return text;
  text += "\n" + paint.bold("blamed nodes") + "\n";
  for (const job::Blamed& blamed : account.blamed) {
    text += fmt::format("{}: {} in attempt {}\n", blamed.node, blamed.what, blamed.attempt);
    for (const std::string& evidence : blamed.evidence) text += wrapped(evidence, 2);
  }
  return text;
}

std::string account_json(const Account& account) {
  nlohmann::ordered_json json{{"schema", "slipway/account/1"},
                              {"job", account.job},
                              {"begin", job::time_text(account.begin_ms)},
                              {"end", job::time_text(account.end_ms)},
                              {"result", nullptr},
                              {"attempts", account.attempts},
                              {"requeues", account.requeues},
                              {"goodput", nullptr},
                              {"steps", account.steps},
                              {"lost_steps", account.lost_steps},
                              {"gpu_energy_joules", nullptr},
                              {"gpu_energy_is_complete", account.joules && account.all_joules}};
  if (!account.result.empty()) json["result"] = account.result;
  if (const auto goodput = account.goodput()) json["goodput"] = *goodput;
  if (account.joules) json["gpu_energy_joules"] = *account.joules;
  for (size_t i = 0; i < job::phases; ++i) {
    std::string name = phase_name(static_cast<Phase>(i));
    for (char& c : name) c = c == ' ' ? '_' : c;
    json["seconds"][name] = static_cast<double>(account.phase_ms[i]) / 1000;
  }
  json["causes"] = nlohmann::ordered_json::array();
  for (const job::LostTime& cause : account.causes) {
    json["causes"].push_back({{"what", cause.what},
                              {"blame", cause.blame},
                              {"failures", cause.failures},
                              {"lost_seconds", static_cast<double>(cause.lost_ms) / 1000},
                              {"lost_steps", cause.lost_steps}});
  }
  json["blamed_nodes"] = nlohmann::ordered_json::array();
  for (const job::Blamed& blamed : account.blamed) {
    json["blamed_nodes"].push_back({{"node", blamed.node},
                                    {"attempt", blamed.attempt},
                                    {"what", blamed.what},
                                    {"evidence", blamed.evidence}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace slipway::commands
