// Deletes machines and what else the cloud has, many at a time.
#include "launcher/node/delete_machines.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

// A part of what Compute Engine takes in a minute, so that a refusal stops us early.
constexpr size_t most_deletes_at_once = 100;

// What became of a round: those to repeat, why the last one was refused, and for how long to wait.
struct Round {
  std::vector<CloudCall> again{};
  std::string why{};
  bool is_crowded = false;
};

void sort_out(CloudCall call, Round& round, std::map<std::string, std::string>& failed) {
  if (!call.error) return;
  try {
    std::rethrow_exception(call.error);
  } catch (const NotYet& error) {
    round.is_crowded = round.is_crowded || dynamic_cast<const TooMany*>(&error) != nullptr;
    round.why = error.what();
    round.again.push_back(std::move(call));
  } catch (const Refused& error) {
    if (error.status == 404) return;
    failed[call.url] =
        error.reason.empty() ? error.what() : fmt::format("{}: {}", error.reason, error.what());
  }
}

// Sends the deletions in parts. After a refusal for too many requests, the rest is not sent.
Round send_round(Cloud& cloud, std::vector<CloudCall> deletions,
                 std::map<std::string, std::string>& failed) {
  Round round;
  for (size_t i = 0; i < deletions.size(); i += most_deletes_at_once) {
    const size_t end = std::min(deletions.size(), i + most_deletes_at_once);
    if (round.is_crowded) {
      std::move(deletions.begin() + static_cast<std::ptrdiff_t>(i), deletions.end(),
                std::back_inserter(round.again));
      return round;
    }
    std::vector<CloudCall> calls(deletions.begin() + static_cast<std::ptrdiff_t>(i),
                                 deletions.begin() + static_cast<std::ptrdiff_t>(end));
    cloud.call_many(calls);
    for (CloudCall& call : calls) sort_out(std::move(call), round, failed);
  }
  return round;
}

}  // namespace

std::map<std::string, std::string> delete_all(Cloud& cloud, const std::vector<std::string>& urls,
                                              const Patience& patience) {
  std::vector<CloudCall> deletions;
  for (const std::string& url : urls) deletions.push_back({"DELETE", url});
  std::map<std::string, std::string> failed;
  Pause pause(patience, "answers to deletions");
  while (!deletions.empty()) {
    std::vector<CloudCall> sent = deletions;
    try {
      Round round = send_round(cloud, std::move(deletions), failed);
      deletions = std::move(round.again);
      if (deletions.empty()) break;
      if (round.is_crowded) {
        pause.after(TooMany(round.why));
      } else {
        pause.after(NotYet(round.why));
      }
    } catch (const NotYet& error) {  // there is no token
      deletions = std::move(sent);
      pause.after(error);
    } catch (const Error& error) {
      for (const CloudCall& one : deletions.empty() ? sent : deletions) {
        failed[one.url] = error.what();
      }
      break;
    }
  }
  return failed;
}

std::map<std::string, std::string> delete_machines(
    Compute& compute, const std::map<std::string, std::string>& zones) {
  std::map<std::string, std::string> names;  // by URL
  std::vector<std::string> urls;
  for (const auto& [name, zone] : zones) {
    urls.push_back(compute.url(fmt::format("zones/{}/instances/{}", zone, url_encode(name))));
    names[urls.back()] = name;
  }
  std::map<std::string, std::string> failed;
  for (auto& [url, reason] : delete_all(compute.cloud(), urls, compute.patience())) {
    failed[names[url]] = std::move(reason);
  }
  return failed;
}

}  // namespace slipway::node
