// Loads finished jobs into BigQuery.
#include "launcher/node/job_export_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/process.h"
#include "common/sha256.h"
#include "common/text.h"
#include "launcher/node/boot.h"
#include "launcher/node/cluster_files.h"
#include "launcher/node/controllers.h"
#include "launcher/node/slurm_settings.h"

namespace slipway::node {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Described at a time. Slurm needs some 2 KiB for each.
constexpr size_t most_described = 5000;

// Nobody can put it into a job's name.
std::string secret_delimiter() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 16; ++i) bytes += static_cast<char>(random() & 0xff);
  return "|" + to_hex(bytes) + "|";
}

class Export {
 public:
  Export(Cloud& cloud, const Patience& patience, const ExportOptions& options)
      : cloud_(cloud), patience_(patience), options_(options) {
    if (fs::exists(options_.memory)) {
      try {
        memory_ = parse_export_memory(read_file(options_.memory));
      } catch (const Error& error) {
        throw error.within(options_.memory.string());
      }
    }
  }

  size_t run(const Say& say) {
    const std::vector<EndedJob> jobs = new_jobs();
    for (size_t first = 0; first < jobs.size(); first += most_described) {
      send({jobs.begin() + static_cast<long>(first),
            jobs.begin() + static_cast<long>(std::min(jobs.size(), first + most_described))});
    }
    memory_.complete = std::max(memory_.complete, options_.until);
    memory_.forget();
    save();
    if (sent_ > 0) say(fmt::format("loaded {} finished jobs into BigQuery", sent_));
    if (refused_ > 0) {
      say(fmt::format("BigQuery refused {} of the rows: {}", refused_, why_refused_));
    }
    return refused_;
  }

 private:
  // In the order of their ends.
  std::vector<EndedJob> new_jobs() const {
    std::vector<EndedJob> jobs =
        parse_list(options_.run(list_command(memory_.complete - export_overlap, options_.until)));
    std::erase_if(jobs, [&](const EndedJob& job) { return memory_.sent.contains(job.number); });
    std::ranges::sort(jobs, {}, &EndedJob::end);
    return jobs;
  }

  void send(const std::vector<EndedJob>& jobs) {
    const std::string delimiter = secret_delimiter();
    std::map<int64_t, json> known =
        parse_rows(options_.run(describe_command(jobs.front().end, jobs.back().end + 1, delimiter)),
                   delimiter, options_.cluster, options_.table.cluster_id);
    std::vector<EndedJob> batch;
    json rows = json::array();
    size_t bytes = 0;
    for (const EndedJob& job : jobs) {
      const auto row = known.find(job.number);
      if (row == known.end()) continue;  // the next run finds it again
      const size_t size = row->second.dump().size();
      if (rows.size() == most_rows || (bytes + size > most_bytes && !rows.empty())) {
        insert(batch, rows);
        batch.clear(), rows = json::array(), bytes = 0;
      }
      batch.push_back(job);
      rows.push_back(std::move(row->second));
      bytes += size;
    }
    if (!rows.empty()) insert(batch, rows);
  }

  // One request. What the table has taken is remembered at once: this may be killed at any time.
  void insert(const std::vector<EndedJob>& batch, const json& rows) {
    const json body{{"skipInvalidRows", true}, {"rows", rows}};
    const json answer = persist(patience_, "BigQuery's table of jobs", [&] {
      return cloud_.call("POST", insert_url(options_.table), body);
    });
    std::map<size_t, std::string> refused;
    for (const json& error : answer.value("insertErrors", json::array())) {
      refused[error.value("index", size_t{0})] =
          error.value(json::json_pointer("/errors/0/message"), "without a reason");
    }
    for (size_t i = 0; i < batch.size(); ++i) {
      if (!refused.contains(i)) memory_.sent[batch[i].number] = batch[i].end;
    }
    sent_ += batch.size() - refused.size();
    refused_ += refused.size();
    if (!refused.empty()) why_refused_ = refused.begin()->second;
    // They are in the order of their ends, so what ended before is in the table.
    memory_.complete = std::max(memory_.complete, batch.back().end);
    memory_.forget();
    save();
  }

  void save() const { write_file(options_.memory, to_text(memory_), 0600); }

  Cloud& cloud_;
  const Patience& patience_;
  const ExportOptions& options_;
  ExportMemory memory_;
  size_t sent_ = 0, refused_ = 0;
  std::string why_refused_;
};

// Outlives the machine, and both controllers reach it.
fs::path state_of_slurm() {
  const SlurmSettings settings =
      settings_of({{"slurm.conf", read_file(fs::path(installed_folder) / "slurm.conf")}});
  const std::string folder = settings.value("statesavelocation");
  if (folder.empty()) throw Error("slurm.conf has no StateSaveLocation");
  return folder;
}

}  // namespace

size_t export_jobs(Cloud& cloud, const Patience& patience, const ExportOptions& options,
                   const Say& say) {
  return Export(cloud, patience, options).run(say);
}

size_t export_jobs_here(Cloud& cloud, const Patience& patience, std::chrono::seconds settle,
                        const Say& say) {
  const MachineMetadata self = fetch_machine_metadata(cloud, patience);
  if (self.role != "controller") throw Error("this machine is not a controller");
  const ClusterFile cluster = fetch_cluster_file(cloud, self, patience);
  const std::string text = persist(patience, "cluster.json", [&] {
    return cloud.object(self.bucket, self.folder + "/cluster.json");
  });
  const std::optional<JobTable> table = job_table_in(text);
  if (!table || !is_in_control(self, cluster)) return 0;
  const fs::path folder = state_of_slurm();
  const Fd lock = try_lock(folder / "slipway-export.lock");
  if (!lock) throw Error("another run is still at work");
  const ExportOptions options{folder / "slipway-export", cluster.cluster, *table,
                              [](const std::vector<std::string>& command) {
                                return run_checked(
                                    command, {.input = "", .deadline = std::chrono::minutes(2)});
                              },
                              static_cast<int64_t>(std::time(nullptr)) - settle.count()};
  return export_jobs(cloud, patience, options, say);
}

}  // namespace slipway::node
