// Finished jobs for a table of BigQuery, each once: what sacct is asked, the rows, and what is
// remembered. The columns are those of Cluster Toolkit:
// blueprints/community/modules/scheduler/schedmd-slurm-gcp-v6-controller/jobs-table.json
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace slipway::node {

// Where the rows go.
struct JobTable {
  std::string project, dataset, table;
  std::string cluster_id;  // tells deployments of the same name apart
};

// `bigquery` of cluster.json; empty if it has none. Throws Error.
std::optional<JobTable> job_table_in(const std::string& cluster_json);

// The URL of the method tabledata.insertAll.
std::string insert_url(const JobTable& table);

// A run of a job that has ended.
struct EndedJob {
  int64_t number = 0;  // of the run in Slurm's database, with its 64 bits read as one with a sign
  int64_t end = 0;     // seconds since 1970
};

struct ExportMemory {
  // Every job that ended before this is in the table; 0: nothing is known.
  int64_t complete = 0;
  std::map<int64_t, int64_t> sent;  // ends of jobs by their number, until no run finds them

  // Forgets jobs that no run will find.
  void forget();
};

std::string to_text(const ExportMemory& memory);
// Throws Error.
ExportMemory parse_export_memory(const std::string& text);

// slurmctld hands records in later if slurmdbd was away, so jobs are looked for this far back.
inline constexpr int64_t export_overlap = 24 * 3600;  // seconds

// Of a request to BigQuery, which takes 10 MB and recommends 500 rows:
// https://docs.cloud.google.com/bigquery/quotas#streaming_inserts
inline constexpr size_t most_rows = 500, most_bytes = 4 << 20;

// The command that lists number and end of the jobs that ended in this time.
std::vector<std::string> list_command(int64_t from, int64_t until);
// Its output. Throws Error.
std::vector<EndedJob> parse_list(const std::string& output);

// The command that describes the jobs that ended in this time. Users choose texts in its output, so
// `delimiter` has to be one that they cannot know.
std::vector<std::string> describe_command(int64_t from, int64_t until,
                                          const std::string& delimiter);

// A row for insertAll, with its insertId, by the job's number. Throws Error.
std::map<int64_t, nlohmann::json> parse_rows(const std::string& output,
                                             const std::string& delimiter,
                                             const std::string& cluster,
                                             const std::string& cluster_id);

}  // namespace slipway::node
