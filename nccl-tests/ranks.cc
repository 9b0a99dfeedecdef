// How ranks describe themselves to each other.
#include "nccl-tests/ranks.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"
#include "common/host_name.h"
#include "common/text.h"
#include "nccl-tests/environment.h"

namespace slipway::bandwidth {
namespace {

constexpr std::string_view in_host_memory = "host memory";

}  // namespace

std::string describe_this_rank() {
  return describe_this_rank(0, std::string(in_host_memory), cpu_name());
}

std::string describe_this_rank(int device, const std::string& device_id,
                               const std::string& device_name) {
  return fmt::format("{}\t{}\t{}\t{}\t{}", ::getpid(), own_host_name(), device, device_id,
                     device_name);
}

std::vector<RankInfo> parse_rank_descriptions(const std::vector<std::string>& descriptions) {
  std::vector<RankInfo> ranks;
  std::map<std::string, int> on_host;
  for (const std::string& line : descriptions) {
    const std::vector<std::string> words = split(line, '\t');
    if (words.size() != 5) throw Error("a rank sent an invalid description of itself");
    const int before = on_host[words[1]]++;
    ranks.push_back({.rank = static_cast<int>(ranks.size()),
                     .pid = std::atoll(words[0].c_str()),
                     .host = words[1],
                     .device = words[3] == in_host_memory ? before : std::atoi(words[2].c_str()),
                     .device_id = words[3],
                     .device_name = words[4]});
  }
  return ranks;
}

std::string rank_ranges(const std::vector<size_t>& ranks) {
  std::string text;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ranks[i]);
    if (end > i) text += fmt::format("-{}", ranks[end]);
    i = end + 1;
  }
  return text;
}

std::string ranks_by_host(const std::vector<size_t>& ranks, const std::vector<std::string>& hosts) {
  constexpr size_t most_named = 32;
  std::vector<std::pair<std::string, std::vector<size_t>>> by_host;
  std::map<std::string, size_t> places;
  for (const size_t rank : ranks) {
    const auto [place, is_new] = places.emplace(hosts.at(rank), by_host.size());
    if (is_new) by_host.emplace_back(hosts.at(rank), std::vector<size_t>());
    by_host[place->second].second.push_back(rank);
  }
  std::vector<std::string> parts;
  for (const auto& [host, members] : by_host) {
    if (parts.size() == most_named) {
      parts.push_back(fmt::format("and those on {} other hosts", by_host.size() - most_named));
      break;
    }
    parts.push_back(fmt::format("{} on {}", rank_ranges(members), host));
  }
  return join(parts, ", ");
}

std::vector<RankInfo> subset(const std::vector<RankInfo>& all, const std::vector<int>& members) {
  std::vector<RankInfo> ranks;
  for (const int member : members) {
    ranks.push_back(all.at(static_cast<size_t>(member)));
    ranks.back().rank = static_cast<int>(ranks.size()) - 1;
  }
  return ranks;
}

}  // namespace slipway::bandwidth
