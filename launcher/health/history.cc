// Loads and saves what a node remembers between checks.
#include "launcher/health/history.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"

namespace slipway::health {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* schema = "slipway/health-history/1";
constexpr std::time_t remembered_seconds = 7 * 24 * 3600;
constexpr size_t most_events = 500;
constexpr int most_reported = 20;
constexpr size_t largest_history = 1 << 20;

json as_json(const History& history) {
  json open = json::array(), events = json::array();
  for (const Finding& finding : history.open) open.push_back(to_json(finding));
  for (const History::Event& event : history.events) events.push_back({event.time, event.key});
  return {{"schema", schema},
          {"boot", history.boot},
          {"counters", history.counters},
          {"open", std::move(open)},
          {"present", history.present},
          {"events", std::move(events)},
          {"gpus", history.gpus},
          {"clean_checks", history.clean_checks},
          {"comment", history.comment},
          {"deep_checks_due", history.deep_checks_due},
          {"prolog_failed", history.prolog_failed},
          {"epilog_failed", history.epilog_failed}};
}

History from_json(const json& body) {
  History history;
  if (body.at("schema") != schema) return history;
  body.at("boot").get_to(history.boot);
  body.at("counters").get_to(history.counters);
  for (const json& one : body.at("open")) history.open.push_back(finding_from_json(one));
  body.at("present").get_to(history.present);
  for (const json& one : body.at("events")) history.events.push_back({one.at(0), one.at(1)});
  history.gpus = body.value("gpus", history.gpus);       // absent in older files
  history.clean_checks = body.value("clean_checks", 0);  // absent in older files
  body.at("comment").get_to(history.comment);
  history.deep_checks_due = body.value("deep_checks_due", false);       // absent in older files
  history.prolog_failed = body.value("prolog_failed", std::time_t{0});  // absent in older files
  history.epilog_failed = body.value("epilog_failed", std::time_t{0});
  return history;
}

fs::path job_file(const fs::path& folder, const std::string& job) {
  return folder / "jobs" / (job + ".json");
}

}  // namespace

std::string key_of(const Finding& finding) {
  std::string key = finding.kind + "|" + finding.device;
  return finding.xid == 0 ? key : key + "|" + std::to_string(finding.xid);
}

bool History::begin_boot(const std::string& now) {
  if (boot == now) return false;
  const bool first = boot.empty();
  boot = now;
  if (first) return false;
  open.clear();
  present.clear();
  gpus.clear();
  // Counters start again at 0, but high-water marks still tell what should be present.
  std::erase_if(counters, [](const auto& counter) {
    return !counter.first.starts_with("memory_kib") && !counter.first.starts_with("nic_speed/") &&
           !counter.first.starts_with("rdma_active/");
  });
  return true;
}

bool History::begin_boot(const std::string& now, const DeepChecks& deep) {
  const bool is_new = boot.empty(), starts = boot != now;
  if (starts && (deep.at("boot") || (is_new && deep.at("new")))) deep_checks_due = true;
  if (!deep.any()) deep_checks_due = false;
  return begin_boot(now);
}

void History::remember(const Finding& finding, std::time_t now) {
  std::erase_if(events, [&](const Event& event) {
    return event.time < now - remembered_seconds || event.time > now + 60;
  });
  if (!finding.event && present.contains(key_of(finding))) return;
  if (finding.kind == reported_kind) forget_old_reports();
  if (events.size() >= most_events) forget_one();
  events.push_back({now, key_of(finding)});
}

// Forgets the oldest event of the most frequent kind. Programs can cause some findings at will (Xid
// 31, hung tasks), which must not push out those of the machine itself.
void History::forget_one() {
  std::map<std::string, int> counts;
  for (const Event& event : events) ++counts[event.key];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  events.erase(std::ranges::find(events, most->first, &Event::key));
}

// Users can report at will, so their reports push out only other reports.
void History::forget_old_reports() {
  const auto is_report = [](const Event& event) {
    return event.key.starts_with(std::string(reported_kind) + "|");
  };
  if (std::ranges::count_if(events, is_report) < most_reported) return;
  events.erase(std::ranges::find_if(events, is_report));
}

int History::times(const Finding& finding, double hours, std::time_t now) const {
  const std::string key = key_of(finding);
  const auto since = now - static_cast<std::time_t>(hours * 3600);
  return static_cast<int>(std::ranges::count_if(
      events, [&](const Event& event) { return event.key == key && event.time >= since; }));
}

History load_history(const fs::path& folder) {
  try {
    return from_json(json::parse(read_regular_file(folder / "history.json", largest_history)));
  } catch (const Error&) {
    return {};
  } catch (const json::exception&) {
    return {};
  }
}

void save_history(const fs::path& folder, const History& history) {
  write_file(folder / "history.json", as_json(history).dump() + "\n", 0600);
}

void keep_job(const fs::path& folder, const std::string& job, const Counters& counters) {
  make_directories(folder / "jobs", 0700);
  write_file(job_file(folder, job), json(counters).dump() + "\n", 0600);
}

Counters job_start(const fs::path& folder, const std::string& job) {
  try {
    return json::parse(read_regular_file(job_file(folder, job), largest_history));
  } catch (const Error&) {
    return {};
  } catch (const json::exception&) {
    return {};
  }
}

void forget_all_jobs(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder / "jobs", ignored);
}

void forget_job(const fs::path& folder, const std::string& job) {
  std::error_code ignored;
  fs::remove(job_file(folder, job), ignored);
}

}  // namespace slipway::health
