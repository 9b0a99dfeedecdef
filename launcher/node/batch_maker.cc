// Makes the machines of one batch.
#include "launcher/node/batch_maker.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

constexpr int most_repeats = 5;

bool is_in(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Names without(Names names, const Names& others) {
  std::erase_if(names, [&](const std::string& name) { return is_in(others, name); });
  return names;
}

}  // namespace

BatchMaker::BatchMaker(const Batch& batch, MakerContext& context)
    : batch_(batch), context_(context), left_(batch.names) {
  const Patience& patience = context.patience();
  end_ = patience.end;
  if (batch.timeout.count() > 0) end_ = std::min(end_, patience.now() + batch.timeout);
  not_before_ = patience.now();
}

void BatchMaker::step() {
  if (has_ended_) return;
  const auto now = context_.patience().now();
  if (now >= end_) return time_is_up();
  if (now < not_before_) return;
  try {
    try_step();
  } catch (const Refused& error) {
    note_refusal(error);
  } catch (const std::exception& error) {
    for (const std::string& name : left_) reasons_[name] = {error.what()};
    end("");
  }
}

void BatchMaker::stop(const std::string& why) {
  stops_because_ = why;
  if (!has_ended_ && !request_) end(why);
}

void BatchMaker::try_step() {
  look_after_starts();
  if (request_ && request_runs()) return;
  const Names stopping = join_machines();
  if (left_.empty()) {
    if (starts_.empty()) end("");
    return;
  }
  if (!stops_because_.empty()) return end(stops_because_);
  const Names names = without(left_, stopping);
  if (names.empty() || (batch_.is_whole && !stopping.empty())) {
    if (waits_for_ != stopping.front()) {
      waits_for_ = stopping.front();
      context_.say(fmt::format("waiting for {} to stop", waits_for_));
    }
    return wait(5s);
  }
  ask(names);
}

// The list of machines decides, whatever the request says: a name with a machine is not missing.
Names BatchMaker::join_machines() {
  const MachinesByName& machines = context_.machines(batch_);
  Names stopping, missing;
  for (const std::string& name : left_) {
    const auto found = machines.find(name);
    if (found == machines.end()) {
      missing.push_back(name);
    } else if (found->second.is_stopping()) {
      missing.push_back(name);
      stopping.push_back(name);
    } else if (is_in(requested_, name)) {
      made_.push_back(name);
    } else if (found->second.is_off()) {
      start_machine(name, found->second);
    }
  }
  left_ = std::move(missing);
  // It changes by itself.
  if (!stopping.empty()) context_.forget_machines(batch_);
  return stopping;
}

void BatchMaker::start_machine(const std::string& name, const Machine& machine) {
  Compute compute = context_.compute(*batch_.nodeset);
  try {
    nlohmann::json operation = compute.post(
        fmt::format("zones/{}/instances/{}/start", machine.zone, url_encode(name)), nullptr);
    operation["in"] = "zones/" + machine.zone;
    starts_[name] = std::move(operation);
  } catch (const Refused& error) {
    failed_[name] = fmt::format("{}: {}: {}", machine.zone, error.reason, error.what());
  }
}

void BatchMaker::look_after_starts() {
  Compute compute = context_.compute(*batch_.nodeset);
  for (auto start = starts_.begin(); start != starts_.end();) {
    auto& [name, operation] = *start;
    const std::string place = text_of(operation, "in");
    if (text_of(operation, "status") != "DONE") {
      operation = compute.get(
          fmt::format("{}/operations/{}", place, url_encode(text_of(operation, "name"))));
      operation["in"] = place;
    }
    if (text_of(operation, "status") != "DONE") {
      ++start;
      continue;
    }
    for (const OperationError& error : errors_of(operation)) {
      failed_[name] = fmt::format("{}: {}", name_in(place), error.words);
    }
    start = starts_.erase(start);
  }
}

void BatchMaker::ask(const Names& names) {
  const std::vector<Offer>& offers = context_.offers(batch_);
  while (offer_ < offers.size()) {
    const Offer& offer = offers[offer_];
    const std::string too_long = run_time_problem(offer.way, batch_.job_seconds);
    if (!offer.missing.empty()) {
      note({"", Trouble::stockout, offer.missing});
    } else if (!too_long.empty()) {
      note({"", Trouble::other, too_long});
    } else if (!(offer.is_rest && batch_.is_whole)) {
      break;
    }
    ++offer_;
  }
  if (offer_ == offers.size()) return out_of_offers();
  const Offer& offer = offers[offer_];
  if (!batch_.policy.empty() && offer.takes_placement) {
    context_.need_policy(batch_, region_of(offer.zones.front()));
  }
  requested_ = names;
  Compute compute = context_.compute(*batch_.nodeset);
  request_ = ask_for(compute, batch_, names, offer);
}

bool BatchMaker::request_runs() {
  Compute compute = context_.compute(*batch_.nodeset);
  const MakingResult result = look_after(compute, *request_);
  if (!result.has_ended) return true;
  if (!result.errors.empty()) give_up(compute, *request_);
  after_request(result.errors);
  return false;
}

void BatchMaker::after_request(const std::vector<OperationError>& errors) {
  request_.reset();
  context_.forget_machines(batch_);
  join_machines();
  const bool is_missing =
      std::ranges::any_of(left_, [&](const std::string& name) { return is_in(requested_, name); });
  if (is_missing) {
    note_all(errors);
    next_offer(!errors.empty() && std::ranges::all_of(errors, [](const OperationError& error) {
      return error.trouble == Trouble::passing || error.trouble == Trouble::exists;
    }));
  }
  requested_.clear();
}

// The reason of one machine is also that of machines which were undone with it.
void BatchMaker::note_all(const std::vector<OperationError>& errors) {
  if (errors.empty()) {
    return note({"", Trouble::other, "the cloud made no machine and gave no reason"});
  }
  std::set<std::string> explained;
  for (const OperationError& error : errors) {
    note(error);
    explained.insert(error.machine);
  }
  OperationError first = errors.front();
  for (const std::string& name : left_) {
    first.machine = name;
    if (!explained.contains(name) && !explained.contains("")) note(first);
  }
}

void BatchMaker::note_refusal(const Refused& error) {
  request_.reset();
  context_.forget_machines(batch_);
  const Trouble trouble = error.status == 409 ? Trouble::exists : trouble_of(error.reason);
  note({"", trouble,
        error.reason.empty() ? std::string(error.what())
                             : fmt::format("{}: {}", error.reason, error.what())});
  next_offer(trouble == Trouble::exists || trouble == Trouble::passing);
  requested_.clear();
}

void BatchMaker::note(const OperationError& error) {
  is_short_of_quota_ = is_short_of_quota_ || error.trouble == Trouble::quota;
  const std::vector<Offer>& offers = context_.offers(batch_);
  const std::string words = offer_ < offers.size()
                                ? fmt::format("{}: {}", offers[offer_].label, error.words)
                                : error.words;
  for (const std::string& name : left_) {
    if (!error.machine.empty() && error.machine != name) continue;
    Names& reasons = reasons_[name];
    if (!is_in(reasons, words)) reasons.push_back(words);
  }
}

// Repeats the offer after a while, or takes the next one.
void BatchMaker::next_offer(bool may_pass) {
  if (may_pass && repeats_ < most_repeats) {
    ++repeats_;
    return wait(std::chrono::seconds(1 << repeats_));
  }
  repeats_ = 0;
  ++offer_;
}

// Waiting does not make quota, unless machines that are being deleted still use it.
void BatchMaker::out_of_offers() {
  if (!is_short_of_quota_ || !context_.frees_quota(batch_)) return end("");
  context_.say(fmt::format("waiting for quota of machines that are being deleted, for {}",
                           join(left_, ",")));
  is_short_of_quota_ = false;
  offer_ = 0;
  reasons_.clear();
  context_.forget_machines(batch_);
  wait(10s);
}

void BatchMaker::end(const std::string& otherwise) {
  has_ended_ = true;
  for (const std::string& name : left_) {
    const Names& reasons = reasons_[name];
    failed_[name] = !reasons.empty()     ? join(reasons, "; ")
                    : !otherwise.empty() ? otherwise
                                         : "the cloud made no machine and gave no reason";
  }
}

void BatchMaker::time_is_up() {
  if (request_) {
    Compute compute = context_.compute(*batch_.nodeset);
    give_up(compute, *request_);
  }
  try {
    context_.forget_machines(batch_);
    join_machines();
  } catch (const Error& error) {
    context_.say(fmt::format("cannot list machines: {}", error.what()));
  }
  end("the cloud had not made the machine when ResumeTimeout ended");
}

}  // namespace slipway::node
