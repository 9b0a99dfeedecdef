// `slipway doctor google`: quotas, against what the blueprint needs.
//
// Compute Engine's own answers have limit and use of the metrics that it has had for long; those by
// family of machines or GPUs, and other services', are in the Cloud Quotas API, which knows limits
// only: https://docs.cloud.google.com/docs/quotas/api-overview
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "common/count.h"
#include "common/text.h"
#include "launcher/commands/doctor_google.h"

namespace slipway::commands {
namespace {

using google::Need;
using nlohmann::json;
using State = Requirement::State;

constexpr const char* quota_service = "cloudquotas.googleapis.com";
constexpr const char* quota_purpose = "as many machines, GPUs and disks as the blueprint has";

struct Limit {
  double limit = 0;
  std::optional<double> used;  // not known to every service
};

// "GPUS_PER_GPU_FAMILY" is "GPUS-PER-GPU-FAMILY-per-project-region" there; the names of other
// services are complete.
std::string quota_id(const Need& need) {
  if (std::ranges::any_of(need.quota, [](unsigned char c) { return std::islower(c); })) {
    return need.quota;
  }
  std::string id = need.quota;
  std::ranges::replace(id, '_', '-');
  return id + (need.region.empty() ? "-per-project" : "-per-project-region");
}

// "gpu_family=NVIDIA_H100_MEGA" of a need.
std::pair<std::string, std::string> dimension_of(const Need& need) {
  const size_t at = need.dimension.find('=');
  if (at == need.dimension.npos) return {};
  return {need.dimension.substr(0, at), need.dimension.substr(at + 1)};
}

// How many of a row's dimensions match the need; nothing if one does not. A row without dimensions
// is for all that have no row of their own.
std::optional<size_t> match(const json& row, const Need& need) {
  const auto [name, value] = dimension_of(need);
  size_t matches = 0;
  const auto dimensions = row.find("dimensions");
  if (dimensions == row.end() || !dimensions->is_object()) return matches;
  for (const auto& [key, one] : dimensions->items()) {
    const std::string wanted = key == "region" ? need.region : key == name ? value : "";
    if (wanted.empty() || one != json(wanted)) return std::nullopt;
    ++matches;
  }
  return matches;
}

// The limit of the row that fits best; nothing if none fits.
std::optional<Limit> limit_in(const json& quota, const Need& need) {
  std::optional<Limit> found;
  size_t best = 0;
  for (const json& row : list_at(quota, "dimensionsInfos")) {
    if (!row.is_object()) continue;
    const auto matches = match(row, need);
    if (!matches || (found && *matches <= best)) continue;
    const auto details = row.find("details");
    const json none;
    found = Limit{number_at(details == row.end() ? none : *details, "value"), {}};
    best = *matches;
  }
  return found;
}

std::string quota_name(const Need& need) {
  return need.dimension.empty() ? need.quota : need.quota + " " + need.dimension;
}

std::string quota_place(const Need& need) {
  return need.region.empty() ? "the whole project" : need.region;
}

class QuotaQuestions {
 public:
  QuotaQuestions(Inquiry& inquiry, const std::string& project)
      : inquiry_(inquiry), project_(project) {}

  void ask(const Need& need) {
    std::optional<Limit> limit = compute_limit(need);
    if (!limit && !quotas_failed_) limit = other_limit(need);
    if (!limit) {
      unknown_.push_back(quota_name(need));
    } else if (!suffices(need, *limit)) {
      found_.push_back(finding(need, *limit));
    } else {
      ++enough_[quota_place(need)];
    }
  }

  std::vector<Requirement> take() {
    for (const auto& [place, count] : enough_) {
      found_.push_back({"quotas of " + place, quota_purpose, State::ok,
                        counted(count, "quota") + (count == 1 ? " suffices" : " suffice")});
    }
    if (!unknown_.empty()) found_.push_back(unknown());
    return std::move(found_);
  }

 private:
  // Compute Engine's quotas of a region or of the project, by metric.
  const json& compute_quotas(const std::string& region) {
    const auto known = compute_.find(region);
    if (known != compute_.end()) return known->second;
    const Reply reply =
        inquiry_.get(fmt::format("https://compute.googleapis.com/compute/v1/projects/{}{}",
                                 project_, region.empty() ? "" : "/regions/" + region));
    json by_metric = json::object();
    for (const json& quota : list_at(reply.body, "quotas")) {
      by_metric[text_at(quota, "metric")] = quota;
    }
    if (!reply.is_ok()) problem_ = reply;
    return compute_.emplace(region, std::move(by_metric)).first->second;
  }

  std::optional<Limit> compute_limit(const Need& need) {
    if (need.service != "compute.googleapis.com" || !need.dimension.empty()) return std::nullopt;
    const json& quotas = compute_quotas(need.region);
    const auto quota = quotas.find(need.quota);
    if (quota == quotas.end()) return std::nullopt;
    return Limit{number_at(*quota, "limit"), number_at(*quota, "usage")};
  }

  std::optional<Limit> other_limit(const Need& need) {
    const std::string id = quota_id(need);
    auto known = others_.find(id);
    if (known == others_.end()) {
      const Reply reply = inquiry_.get(
          fmt::format("https://{}/v1/projects/{}/locations/global/services/{}/quotaInfos/{}",
                      quota_service, project_, need.service, id));
      if (!reply.is_ok()) {
        problem_ = reply;
        // Without the service, no other question gets an answer either.
        quotas_failed_ = reply.status != 404;
      }
      known = others_.emplace(id, reply.body).first;
    }
    return limit_in(known->second, need);
  }

  static bool suffices(const Need& need, const Limit& limit) {
    // https://docs.cloud.google.com/docs/quotas/reference/rest/v1/QuotaDetails: -1 is unlimited
    return limit.limit < 0 ||
           static_cast<double>(need.amount) <= limit.limit - limit.used.value_or(0);
  }

  Requirement finding(const Need& need, const Limit& limit) const {
    const double amount = static_cast<double>(need.amount);
    Requirement one{
        fmt::format("quota {} in {}", quota_name(need), quota_place(need)),
        slipway::join(std::vector<std::string>(need.modules.begin(), need.modules.end()), ", "),
        State::missing};
    one.found = fmt::format("needs {} {}", need.amount, need.unit);
    while (one.found.ends_with(' ')) one.found.pop_back();
    one.found += fmt::format(", the limit is {:.0f}", limit.limit);
    if (limit.used.value_or(0) > 0) one.found += fmt::format(", {:.0f} in use", *limit.used);
    one.remedy = request(need, amount + limit.used.value_or(0));
    if (amount <= limit.limit) {
      one.state = State::warning;
      one.found += "; enough only if this cluster itself uses that";
    } else if (amount - static_cast<double>(need.on_demand) <=
               limit.limit - limit.used.value_or(0)) {
      one.state = State::warning;
      one.found +=
          fmt::format("; {} are for nodes that only run while jobs need them", need.on_demand);
    }
    return one;
  }

  // https://docs.cloud.google.com/sdk/gcloud/reference/beta/quotas/preferences/create
  std::string request(const Need& need, double amount) const {
    std::vector<std::string> dimensions;
    if (!need.region.empty()) dimensions.push_back("region=" + need.region);
    if (!need.dimension.empty()) dimensions.push_back(need.dimension);
    return fmt::format(
        "`gcloud beta quotas preferences create --project {} --service {} --quota-id {} "
        "--preferred-value {:.0f}{}{} --email YOUR-ADDRESS`; an answer can take days",
        project_, need.service, quota_id(need), amount, dimensions.empty() ? "" : " --dimensions ",
        slipway::join(dimensions, ","));
  }

  Requirement unknown() const {
    Requirement one{"quotas that are not known", quota_purpose, State::warning};
    one.found = slipway::join(unknown_, ", ");
    if (!problem_.is_ok() && problem_.status != 404) one.found += ": " + problem_.problem;
    one.remedy = fmt::format("`gcloud services enable {} --project {}`", quota_service, project_);
    if (!problem_.is_disabled) {
      one.remedy = fmt::format(
          "compare `slipway quota` with "
          "https://console.cloud.google.com/iam-admin/quotas?project={}",
          project_);
    }
    return one;
  }

  Inquiry& inquiry_;
  const std::string& project_;
  std::map<std::string, json> compute_;  // by region, "" for the project
  std::map<std::string, json> others_;   // by quota id
  bool quotas_failed_ = false;
  Reply problem_;
  std::map<std::string, size_t> enough_;  // by place
  std::vector<std::string> unknown_;
  std::vector<Requirement> found_;
};

}  // namespace

std::vector<Requirement> ask_quotas(Inquiry& inquiry, const std::string& project,
                                    const google::Needs& quotas) {
  QuotaQuestions questions(inquiry, project);
  for (const Need& need : quotas.quotas) questions.ask(need);
  return questions.take();
}

}  // namespace slipway::commands
