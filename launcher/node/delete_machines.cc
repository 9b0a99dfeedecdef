// Deletes machines, many at a time.
#include "launcher/node/delete_machines.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

// A part of what Compute Engine takes in a minute, so that a refusal stops us early.
constexpr size_t most_deletes_at_once = 100;

struct Deletion {
  std::string name;
  CloudCall call;
};

// What became of a round: those to repeat, why the last one was refused, and for how long to wait.
struct Round {
  std::vector<Deletion> again{};
  std::string why{};
  bool is_crowded = false;
};

void sort_out(Deletion deletion, Round& round, std::map<std::string, std::string>& failed) {
  if (!deletion.call.error) return;
  try {
    std::rethrow_exception(deletion.call.error);
  } catch (const NotYet& error) {
    round.is_crowded = round.is_crowded || dynamic_cast<const TooMany*>(&error) != nullptr;
    round.why = error.what();
    round.again.push_back(std::move(deletion));
  } catch (const Refused& error) {
    if (error.status == 404) return;
    failed[deletion.name] =
        error.reason.empty() ? error.what() : fmt::format("{}: {}", error.reason, error.what());
  }
}

// Sends the deletions in parts. After a refusal for too many requests, the rest is not sent.
Round send_round(Cloud& cloud, std::vector<Deletion> deletions,
                 std::map<std::string, std::string>& failed) {
  Round round;
  for (size_t i = 0; i < deletions.size(); i += most_deletes_at_once) {
    const size_t end = std::min(deletions.size(), i + most_deletes_at_once);
    if (round.is_crowded) {
      std::move(deletions.begin() + static_cast<std::ptrdiff_t>(i), deletions.end(),
                std::back_inserter(round.again));
      return round;
    }
    std::vector<CloudCall> calls;
    for (size_t k = i; k < end; ++k) calls.push_back(deletions[k].call);
    cloud.call_many(calls);
    for (size_t k = i; k < end; ++k) {
      deletions[k].call = calls[k - i];
      sort_out(std::move(deletions[k]), round, failed);
    }
  }
  return round;
}

}  // namespace

std::map<std::string, std::string> delete_machines(
    Compute& compute, const std::map<std::string, std::string>& zones) {
  std::vector<Deletion> deletions;
  for (const auto& [name, zone] : zones) {
    const std::string path = fmt::format("zones/{}/instances/{}", zone, url_encode(name));
    deletions.push_back({name, {"DELETE", compute.url(path)}});
  }
  std::map<std::string, std::string> failed;
  Pause pause(compute.patience(), "the deletion of machines");
  while (!deletions.empty()) {
    std::vector<Deletion> sent = deletions;
    try {
      Round round = send_round(compute.cloud(), std::move(deletions), failed);
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
      for (const Deletion& one : deletions.empty() ? sent : deletions)
        failed[one.name] = error.what();
      break;
    }
  }
  return failed;
}

}  // namespace slipway::node
