// What happened on a cluster over some days: from Slurm's accounting and the ledgers of jobs.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/goodput.h"

namespace slipway::observe {

// A job in accounting.
struct AccountedJob {
  std::string id, user, account, state;  // state: "COMPLETED", "CANCELLED", …
  int64_t nodes = 0, gpus = 0, seconds = 0;
};

// Parses what `sacct --allocations --parsable2 --noheader
// --format=JobID,User,Account,State,NNodes,AllocTRES,ElapsedRaw` prints.
std::vector<AccountedJob> parse_accounted_jobs(std::string_view text);

// When a node was out of service.
struct NodeEvent {
  std::string node, state, reason;
  int64_t seconds = 0;
};

// Parses what `sacctmgr --parsable2 --noheader show event format=NodeName,State,Reason,Duration`
// prints. Events of the whole cluster, which have no node, are left out.
std::vector<NodeEvent> parse_node_events(std::string_view text);

// GPUs of all nodes, from `sinfo --noheader --Node --format=%N|%G`. A node in several partitions
// counts once.
int64_t parse_gpu_count(std::string_view text);

struct ReportedUse {
  int64_t jobs = 0;
  double gpu_hours = 0;
  double goodput_hours = 0, ledger_hours = 0;  // node-hours of jobs with a ledger
  std::optional<double> goodput() const;
};

struct ReportedCause {
  std::string what, blame;
  int64_t failures = 0;
  double lost_node_hours = 0;
  std::optional<double> mtbf_node_hours;  // all node-hours of ledgers by failures
};

struct ReportedTrouble {
  std::string node;
  int64_t events = 0, blamed = 0;
  double hours_out = 0;
  std::string reason;  // of the last event
};

struct Report {
  int64_t from = 0, to = 0;  // since 1970
  bool has_accounting = false;
  int64_t ledgers = 0;
  double ledger_node_hours = 0;
  std::optional<double> idle_gpu_hours;  // empty without accounting
  double gpu_hours = 0;
  int64_t gpus = 0;
  std::map<std::string, ReportedUse> by_user, by_account;
  std::vector<ReportedCause> causes;   // the most failures first
  std::vector<ReportedTrouble> nodes;  // the most events first
};

struct ReportInput {
  int64_t from = 0, to = 0;
  std::optional<std::vector<AccountedJob>> jobs;  // empty: no accounting
  std::vector<NodeEvent> events;
  int64_t gpus = 0;
  std::vector<job::Goodput> ledgers;
};

// Of ledgers, what happened before `from` is cut off.
Report make_report(const ReportInput& input);

std::string report_text(const Report& report);
nlohmann::ordered_json report_json(const Report& report);  // docs/schemas/report-1.schema.json
std::string report_page(const Report& report);             // HTML that needs no other file

}  // namespace slipway::observe
