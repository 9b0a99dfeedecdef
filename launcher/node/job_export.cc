// Makes rows for BigQuery of what sacct says about finished jobs.
#include "launcher/node/job_export.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>

#include "common/error.h"
#include "common/json.h"
#include "common/sha256.h"
#include "common/text.h"
#include "common/utc.h"
#include "launcher/node/http.h"

namespace slipway::node {
namespace {

using nlohmann::json;

enum class ColumnKind { text, number, time };

struct Column {
  const char* name;   // in the table
  const char* field;  // of sacct
  ColumnKind kind;
};

// sacct(1), "Job Accounting Fields". The first is nothing that a user chooses, and never empty.
constexpr Column columns[] = {
    {"job_db_uuid", "DBIndex", ColumnKind::number},
    {"job_id_raw", "JobIDRaw", ColumnKind::number},
    {"job_id", "JobID", ColumnKind::text},
    {"state", "State", ColumnKind::text},
    {"job_name", "JobName", ColumnKind::text},
    {"partition", "Partition", ColumnKind::text},
    {"submit_time", "Submit", ColumnKind::time},
    {"start_time", "Start", ColumnKind::time},
    {"end_time", "End", ColumnKind::time},
    {"elapsed_raw", "ElapsedRaw", ColumnKind::number},
    {"timelimit_raw", "TimelimitRaw", ColumnKind::text},
    {"timelimit", "Timelimit", ColumnKind::text},
    {"nodelist", "NodeList", ColumnKind::text},
    {"user", "User", ColumnKind::text},
    {"uid", "UID", ColumnKind::number},
    {"group", "Group", ColumnKind::text},
    {"gid", "GID", ColumnKind::number},
    {"wckey", "WCKey", ColumnKind::text},
    {"qos", "QOS", ColumnKind::text},
    {"comment", "Comment", ColumnKind::text},
    {"admin_comment", "AdminComment", ColumnKind::text},
    {"exitcode", "ExitCode", ColumnKind::text},
    {"alloc_cpus", "AllocCPUS", ColumnKind::number},
    {"alloc_nodes", "AllocNodes", ColumnKind::number},
    {"alloc_tres", "AllocTRES", ColumnKind::text},
    {"cpu_time_raw", "CPUTimeRAW", ColumnKind::number},
};

constexpr size_t longest_text = 4096;  // bytes
constexpr const char* memory_head = "slipway/export/1";

// Without a zone, because Slurm's times have none: the command's zone is UTC.
std::string sacct_time(int64_t time) {
  return utc_text(static_cast<std::time_t>(time)).substr(0, 19);
}

// "2026-11-23T12:00:00"; 0 for a time that is not known.
int64_t parse_slurm_time(const std::string& text) {
  tm parts = {};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return end != nullptr && *end == '\0' ? static_cast<int64_t>(::timegm(&parts)) : 0;
}

std::vector<std::string> sacct(int64_t from, int64_t until, const std::string& fields) {
  return {"/usr/bin/env", "TZ=UTC", "SLURM_TIME_FORMAT=standard", "/usr/bin/sacct", "--noheader",
          "--allusers", "--allocations", "--duplicates",
          // Those in which a job has ended.
          "--state=BOOT_FAIL,CANCELLED,COMPLETED,DEADLINE,FAILED,NODE_FAIL,OUT_OF_MEMORY,PREEMPTED,"
          "REQUEUED,REVOKED,TIMEOUT",
          // For sacct, 0 is today.
          "--starttime=" + sacct_time(std::max<int64_t>(from, 1)), "--endtime=" + sacct_time(until),
          "--format=" + fields};
}

// Short enough, and valid UTF-8, which users' texts may not be.
std::string readable(const std::string& text) {
  const json valid = json(text.substr(0, longest_text));
  return json::parse(valid.dump(-1, ' ', false, json::error_handler_t::replace));
}

// The number of a run has 64 bits without a sign since Slurm 24.11. BigQuery has only numbers with
// one, so the upper half becomes negative.
std::optional<int64_t> to_signed(const std::string& text) {
  const auto number = to_number<uint64_t>(text);
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

json cell_of(const Column& column, const std::string& text) {
  if (column.kind == ColumnKind::text) return readable(text);
  if (column.kind == ColumnKind::time) {
    const int64_t time = parse_slurm_time(text);
    return time > 0 ? json(sacct_time(time)) : json();
  }
  const auto number = to_signed(text);
  return number ? json(*number) : json();
}

// The text between delimiters. Each row ends with one and a line break.
std::vector<std::string> fields_of(const std::string& output, const std::string& delimiter) {
  std::vector<std::string> fields;
  size_t at = 0;
  for (size_t end = output.find(delimiter); end != output.npos; end = output.find(delimiter, at)) {
    fields.push_back(output.substr(at, end - at));
    at = end + delimiter.size();
  }
  return fields;
}

json row_of(const std::vector<std::string>& fields, size_t first, const std::string& cluster,
            const std::string& cluster_id) {
  json row{{"cluster_name", cluster}, {"cluster_id", cluster_id}};
  for (size_t i = 0; i < std::size(columns); ++i) {
    row[columns[i].name] = cell_of(columns[i], fields[first + i]);
  }
  // The same if a row is sent again, so that BigQuery, or a query, finds it out.
  const std::string id = sha256(fmt::format("{}/{}/{}/{}", cluster_id, row["job_db_uuid"].dump(),
                                            row["job_id_raw"].dump(), row["submit_time"].dump()))
                             .substr(0, 32);
  row["entry_uuid"] = id;
  return {{"insertId", id}, {"json", std::move(row)}};
}

}  // namespace

std::optional<JobTable> job_table_in(const std::string& cluster_json) {
  try {
    const json cluster = parse_json(cluster_json);
    const auto found = cluster.find("bigquery");
    if (found == cluster.end() || found->is_null()) return std::nullopt;
    return JobTable{found->at("project"), found->at("dataset"), found->at("table"),
                    found->at("cluster_id")};
  } catch (const json::exception& error) {
    throw Error(fmt::format("cluster.json: {}", error.what()));
  }
}

std::string insert_url(const JobTable& table) {
  return fmt::format(
      "https://bigquery.googleapis.com/bigquery/v2/projects/{}/datasets/{}/tables/{}/insertAll",
      url_encode(table.project), url_encode(table.dataset), url_encode(table.table));
}

void ExportMemory::forget() {
  std::erase_if(sent, [&](const auto& job) { return job.second < complete - export_overlap; });
}

std::string to_text(const ExportMemory& memory) {
  std::string text = fmt::format("{} {}\n", memory_head, memory.complete);
  for (const auto& [number, end] : memory.sent) text += fmt::format("{} {}\n", number, end);
  return text;
}

ExportMemory parse_export_memory(const std::string& text) {
  ExportMemory memory;
  bool is_first = true;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string> words = split(line, ' ');
    const auto right = to_number<int64_t>(words.size() == 2 ? words[1] : "");
    const auto left = to_number<int64_t>(words[0]);
    if (!right || (is_first ? words[0] != memory_head : !left)) {
      throw Error("it is not a record of exported jobs");
    }
    if (is_first) {
      memory.complete = *right;
    } else {
      memory.sent[*left] = *right;
    }
    is_first = false;
  }
  if (is_first) throw Error("it is empty");
  return memory;
}

std::vector<std::string> list_command(int64_t from, int64_t until) {
  std::vector<std::string> command = sacct(from, until, "DBIndex,End");
  command.emplace_back("--parsable2");
  return command;
}

std::vector<EndedJob> parse_list(const std::string& output) {
  std::vector<EndedJob> jobs;
  for (const std::string& line : split(output, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string> words = split(line, '|');
    const auto number = to_signed(words[0]);
    if (words.size() != 2 || !number) throw Error("sacct did not list jobs");
    if (const int64_t end = parse_slurm_time(words[1]); end > 0) jobs.push_back({*number, end});
  }
  return jobs;
}

std::vector<std::string> describe_command(int64_t from, int64_t until,
                                          const std::string& delimiter) {
  std::string fields;
  for (const Column& column : columns)
    fields += (fields.empty() ? "" : ",") + std::string(column.field);
  std::vector<std::string> command = sacct(from, until, fields);
  command.insert(command.end(), {"--parsable", "--delimiter=" + delimiter});
  return command;
}

std::map<int64_t, json> parse_rows(const std::string& output, const std::string& delimiter,
                                   const std::string& cluster, const std::string& cluster_id) {
  std::vector<std::string> fields = fields_of(output, delimiter);
  constexpr size_t width = std::size(columns);
  if (fields.size() % width != 0) throw Error("sacct wrote rows with missing fields");
  std::map<int64_t, json> rows;
  for (size_t first = 0; first < fields.size(); first += width) {
    // The line break of the row before.
    if (first > 0 && fields[first].starts_with('\n')) fields[first].erase(0, 1);
    const auto number = to_signed(fields[first]);
    if (!number) throw Error("sacct wrote a row without the number of its job");
    rows[*number] = row_of(fields, first, cluster, cluster_id);
  }
  return rows;
}

}  // namespace slipway::node
