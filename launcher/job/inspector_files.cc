// Reads what NCCL's inspector writes.
#include "launcher/job/inspector_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/fd.h"
#include "common/text.h"

namespace slipway::job {
namespace {

using nlohmann::json;

constexpr size_t most_bytes_at_once = size_t{4} << 20;  // of a file
constexpr size_t longest_inspector_line = 4096, most_files = 1024;
constexpr size_t most_kept = 64;  // of a communicator at a time, before numbers are skipped
constexpr int64_t coarser = 16;

// The whole lines after `offset`, which moves past them.
std::string new_lines(const std::filesystem::path& path, uintmax_t& offset) {
  // A program could leave a pipe or a link there.
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  const auto size = static_cast<uintmax_t>(info.st_size);
  if (size < offset) offset = 0;
  if (size - offset > most_bytes_at_once) offset = size - most_bytes_at_once;
  std::string text(static_cast<size_t>(size - offset), '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(offset));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  offset += text.size();
  return text;
}

// Keeps what fits, by the same numbers on every node.
std::vector<RankCollective> thinned(std::vector<RankCollective> all) {
  std::map<std::string, size_t> counts;
  for (const RankCollective& each : all) ++counts[each.communicator];
  std::erase_if(all, [&](const RankCollective& each) {
    int64_t step = 1;
    for (size_t count = counts[each.communicator]; count > most_kept; count /= coarser)
      step *= coarser;
    return each.sequence % step != 0;
  });
  return all;
}

}  // namespace

bool parse_inspector_line(std::string_view text, InspectorLine& line) {
  if (text.size() > longest_inspector_line || !text.starts_with('{')) return false;
  const json body = json::parse(text, nullptr, false);
  try {
    const json& header = body.at("header");
    const json& seen = body.at("coll_perf");
    const json& id = header.at("id");
    line.pid = body.at("metadata").at("pid").get<pid_t>();
    line.collective.communicator = id.is_string() ? id.get<std::string>() : id.dump();
    line.collective.ranks = header.at("n_ranks").get<int64_t>();
    line.collective.sequence = seen.at("coll_sn").get<int64_t>();
    line.collective.microseconds = seen.at("coll_exec_time_us").get<double>();
    line.collective.gb_per_second = seen.value("coll_busbw_gbs", 0.0);
  } catch (const json::exception&) {
    return false;
  }
  const RankCollective& made = line.collective;
  return made.communicator.size() <= 64 && made.ranks >= 1 && made.ranks < (int64_t{1} << 24) &&
         made.sequence >= 0 && made.microseconds >= 0 && made.gb_per_second >= 0;
}

std::vector<RankCollective> InspectorFiles::read(const std::filesystem::path& folder,
                                                 const std::map<pid_t, int64_t>& ranks) {
  std::vector<RankCollective> all;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename();
    if (!files_.contains(name) && files_.size() >= most_files) continue;
    for (const std::string& text : split(new_lines(entry.path(), files_[name]), '\n')) {
      InspectorLine line;
      if (!parse_inspector_line(text, line)) continue;
      const auto rank = ranks.find(line.pid);
      if (rank == ranks.end()) continue;
      line.collective.rank = rank->second;
      all.push_back(std::move(line.collective));
    }
  }
  return thinned(std::move(all));
}

}  // namespace slipway::job
