// Reads what a profiler plugin of NCCL writes.
#include "launcher/job/inspector_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/fd.h"
#include "common/text.h"

namespace slipway::job {
namespace {

using nlohmann::json;

constexpr size_t most_bytes_at_once = size_t{4} << 20;  // of a file
// A verbose line has an entry for each channel.
constexpr size_t longest_inspector_line = size_t{64} << 10;
constexpr size_t most_files = 1024, most_at_once = 16384, longest_name = 64;
constexpr size_t most_kept = 16;  // of a rank, communicator and function at a time
constexpr uint64_t coarser = 4;
constexpr int64_t most_ranks_of_communicator = int64_t{1} << 24, most_sampled = int64_t{1} << 32;

struct RecordKind {
  const char* key;
  const char* prefix;  // of the names in it
  bool has_ended;
};
constexpr RecordKind record_kinds[] = {
    {"coll_perf", "coll", true}, {"p2p_perf", "p2p", true}, {"coll_pending", "coll", false}};

// Of the inspector, but of nothing that is judged.
constexpr std::string_view other_keys[] = {"header", "metadata", "dump_stats", "proxy_trace"};

// The whole lines after `offset`, which moves past them. `skipped`: not all of them.
std::string new_lines(const std::filesystem::path& path, uintmax_t& offset, bool& skipped) {
  // A program could leave a pipe or a link there.
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  const auto size = static_cast<uintmax_t>(info.st_size);
  const uintmax_t before = offset;
  if (size < offset) offset = 0;  // a new communicator after the last one begins the file again
  const bool jumped = size - offset > most_bytes_at_once;
  if (jumped) offset = size - most_bytes_at_once;
  skipped = offset != before;
  std::string text(static_cast<size_t>(size - offset), '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(offset));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  offset += text.size();
  // The first line after a jump has no begin.
  if (jumped) text.erase(0, text.find('\n') + 1);
  return text;
}

// "n1-pid123.log" is of process 123.
std::optional<pid_t> process_of(std::string_view name) {
  constexpr std::string_view ending = ".log";
  if (!name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  return to_number<pid_t>(name.substr(name.find_last_not_of("0123456789") + 1));
}

// Numbers in no relation to theirs: a program may record each second or tenth only.
uint64_t scattered(int64_t sequence) {
  auto value = static_cast<uint64_t>(sequence) + 0x9e3779b97f4a7c15U;  // SplitMix64
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

// Keeps what fits. What a coarser step keeps, a finer one keeps, too: nodes that have read other
// amounts still have the same in common.
void thin(std::vector<RankCollective>& all) {
  using Series = std::pair<std::string, std::string>;
  std::map<std::pair<Series, int64_t>, std::pair<size_t, int64_t>> ranks;  // number and last
  std::map<Series, size_t> most;
  for (const RankCollective& each : all) {
    const Series series(each.communicator, each.function);
    auto& [count, last] = ranks[{series, each.rank}];
    most[series] = std::max(most[series], ++count);
    last = std::max(last, each.sequence);
  }
  std::erase_if(all, [&](RankCollective& each) {
    const Series series(each.communicator, each.function);
    uint64_t step = 1;
    for (size_t count = most[series]; count > most_kept; count /= coarser) step *= coarser;
    if (scattered(each.sequence) % step == 0) {
      each.stands_for *= static_cast<int64_t>(step);
      return false;
    }
    return ranks[{series, each.rank}].second != each.sequence;
  });
}

// NCCL writes "nan" for a bandwidth that it cannot tell.
double number_or_0(const json& object, const std::string& name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

bool is_name(std::string_view text) {
  return text.size() <= longest_name &&
         std::ranges::all_of(text, [](char each) { return each > ' ' && each <= '~'; });
}

// The first one of a line that is not of the inspector, as far as it is known; empty: none.
std::string unknown_key(const json& body) {
  for (const auto& [key, value] : body.items())
    if (std::ranges::find(other_keys, key) == std::end(other_keys)) return is_name(key) ? key : "?";
  return "";
}

void read_head(const json& body, InspectorHead& head) {
  const json& metadata = body.at("metadata");
  const auto format = metadata.value("inspector_output_format_version", std::string());
  head.format = !format.empty() && is_name(format) ? format : "v?";
  const json& header = body.at("header");
  const json& id = header.at("id");
  head.communicator = id.is_string() ? id.get<std::string>() : id.dump();
  head.rank = header.at("rank").get<int64_t>();
  head.ranks = header.at("n_ranks").get<int64_t>();
  head.sampled_every = metadata.value("sampled_every", int64_t{1});
}

void read_record(const json& seen, const RecordKind& known, const InspectorHead& head,
                 RankCollective& collective) {
  const std::string kind = known.prefix;
  collective.communicator = head.communicator;
  collective.ranks = head.ranks;
  collective.function = seen.at(kind).get<std::string>();
  collective.sequence = seen.at(kind + "_sn").get<int64_t>();
  collective.stands_for = head.sampled_every;
  collective.has_ended = known.has_ended;
  collective.bytes = seen.value(kind + "_msg_size_bytes", int64_t{0});
  collective.microseconds = number_or_0(seen, kind + "_exec_time_us");
  collective.gb_per_second = number_or_0(seen, kind + "_busbw_gbs");
  collective.start_microseconds = number_or_0(seen, kind + "_start_timestamp_us");
  if (kind == "p2p") {
    // The two share a link, whichever of them sends.
    const auto peer = seen.at("p2p_peer").get<int64_t>();
    const auto [low, high] = std::minmax(head.rank, peer);  // references
    collective.communicator += fmt::format(":{}-{}", low, high);
    collective.ranks = 2;
  }
}

bool is_sound(const RankCollective& collective) {
  return is_name(collective.communicator) && is_name(collective.function) &&
         collective.ranks >= 1 && collective.ranks < most_ranks_of_communicator &&
         collective.sequence >= 0 && collective.stands_for >= 1 &&
         collective.stands_for <= most_sampled && collective.bytes >= 0 &&
         collective.microseconds >= 0 && collective.gb_per_second >= 0 &&
         collective.start_microseconds >= 0;
}

}  // namespace

InspectorLines::Meaning InspectorLines::read(std::string_view text, RankCollective& collective) {
  const json body = text.size() > longest_inspector_line || !text.starts_with('{')
                        ? json(json::value_t::discarded)
                        : json::parse(text, nullptr, false);
  if (!body.is_object()) {
    skip();
    unknown_ = "a line without a JSON object";
    return Meaning::unknown;
  }
  const auto known = std::ranges::find_if(
      record_kinds, [&](const RecordKind& each) { return body.contains(each.key); });
  std::string kind = known == std::end(record_kinds) ? unknown_key(body) : known->key;
  try {
    if (body.contains("header")) read_head(body, head_);
    if (known == std::end(record_kinds)) {
      if (kind.empty()) return Meaning::nothing;
    } else if (head_.communicator.empty()) {
      return Meaning::nothing;  // its header was skipped
    } else {
      read_record(body.at(known->key), *known, head_, collective);
      if (is_sound(collective)) return Meaning::collective;
    }
  } catch (const json::exception&) {
    skip();
    if (kind.empty()) kind = "header";
  }
  unknown_ = fmt::format("`{}` of format {}", kind, head_.format);
  return Meaning::unknown;
}

std::vector<RankCollective> InspectorFiles::read(const std::filesystem::path& folder,
                                                 const std::map<pid_t, int64_t>& ranks,
                                                 const std::string& host) {
  std::vector<RankCollective> all;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename();
    const auto process = process_of(name);
    const auto rank = process ? ranks.find(*process) : ranks.end();
    if (rank == ranks.end() || (!host.empty() && !name.starts_with(host + "-"))) continue;
    if (!files_.contains(name) && files_.size() >= most_files) continue;
    File& file = files_[name];
    bool skipped = false;
    const std::string text = new_lines(entry.path(), file.read, skipped);
    if (skipped) file.lines.skip();
    for (const std::string& line : split(text, '\n')) {
      RankCollective collective;
      const auto meaning =
          line.empty() ? InspectorLines::Meaning::nothing : file.lines.read(line, collective);
      if (meaning == InspectorLines::Meaning::unknown && unread_.count++ == 0)
        unread_.first = file.lines.unknown();
      if (meaning != InspectorLines::Meaning::collective) continue;
      collective.rank = rank->second;
      all.push_back(std::move(collective));
    }
  }
  thin(all);
  if (all.size() > most_at_once) all.resize(most_at_once);
  return all;
}

}  // namespace slipway::job
