// `slipway doctor google`: projects, the services that they have enabled, and the caller's rights.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "common/count.h"
#include "common/text.h"
#include "launcher/commands/doctor_google.h"

namespace slipway::commands {
namespace {

using google::CloudNeeds;
using google::ProjectNeeds;
using nlohmann::json;
using State = Requirement::State;

constexpr const char* resource_manager = "https://cloudresourcemanager.googleapis.com/v1/projects/";
constexpr const char* service_usage = "https://serviceusage.googleapis.com/v1/projects/";

// https://docs.cloud.google.com/service-usage/docs/reference/rest/v1/services/batchGet
constexpr size_t most_services = 30;
// https://docs.cloud.google.com/iam/docs/reference/rest/v1/projects.serviceAccounts/testIamPermissions
constexpr size_t most_permissions = 100;

// Calls `work` with parts of a list.
template <class Work>
void in_parts(const std::vector<std::string>& all, size_t size, Work work) {
  for (size_t i = 0; i < all.size(); i += size) {
    const auto end = all.begin() + static_cast<ptrdiff_t>(std::min(all.size(), i + size));
    work(std::vector<std::string>(all.begin() + static_cast<ptrdiff_t>(i), end));
  }
}

// "a, b, c, and 4 more"
std::string some_of(const std::vector<std::string>& all) {
  constexpr size_t most = 6;
  if (all.size() <= most) return slipway::join(all, ", ");
  return fmt::format("{}, and {} more", slipway::join(std::span(all).first(most), ", "),
                     all.size() - most);
}

class ProjectQuestions {
 public:
  ProjectQuestions(Inquiry& inquiry, const std::string& project, const ProjectNeeds& needs)
      : inquiry_(inquiry), project_(project), needs_(needs) {}

  // False if nothing else can be asked about it.
  bool ask_project(std::vector<Requirement>& found) {
    Requirement finding{"project " + project_, "where the cluster is"};
    const Reply reply = inquiry_.get(resource_manager + project_);
    const std::string state = text_at(reply.body, "lifecycleState");
    bool is_open = true;
    if (reply.is_ok()) {
      finding.found = fmt::format("number {}", text_at(reply.body, "projectNumber"));
      is_open = state.empty() || state == "ACTIVE";
      if (!is_open) finding.found = "it is being deleted: " + state;
    } else if (reply.is_disabled) {
      finding = not_known(finding.name, finding.purpose, reply, project_,
                          "cloudresourcemanager.googleapis.com");
    } else {
      is_open = false;
      finding.found = reply.problem;
    }
    if (!is_open) {
      finding.state = State::missing;
      finding.remedy =
          reply.status == 0
              ? "check the network, and `gcloud auth application-default print-access-token`"
              : "set `project_id` to a project that you may use: `gcloud projects list`";
    }
    found.push_back(std::move(finding));
    return is_open;
  }

  Requirement ask_services() {
    Requirement finding{"services of " + project_, "APIs that the cluster's parts belong to"};
    std::vector<std::string> disabled;
    Reply failed;
    in_parts({needs_.services.begin(), needs_.services.end()}, most_services,
             [&](const std::vector<std::string>& part) {
               Reply reply = inquiry_.get(services_url(part));
               if (!reply.is_ok())
                 failed = std::move(reply);
               else
                 add_disabled(reply.body, part, disabled);
             });
    if (!failed.is_ok()) {
      return not_known(finding.name, finding.purpose, failed, project_,
                       "serviceusage.googleapis.com");
    }
    if (disabled.empty()) {
      finding.found = counted(needs_.services.size(), "service") + " enabled";
      return finding;
    }
    finding.state = State::missing;
    finding.found = fmt::format("not enabled: {}", slipway::join(disabled, ", "));
    finding.remedy = fmt::format("`gcloud services enable {} --project {}`",
                                 slipway::join(disabled, " "), project_);
    return finding;
  }

  Requirement ask_rights() {
    Requirement finding{"rights in " + project_, "making and destroying the cluster's parts"};
    std::vector<std::string> wanted, lacking, unknown;
    for (const auto& [permission, role] : needs_.permissions) wanted.push_back(permission);
    Reply failed;
    in_parts(wanted, most_permissions, [&](const std::vector<std::string>& part) {
      if (Reply reply = test(part, lacking, unknown); !reply.is_ok()) failed = std::move(reply);
    });
    if (!failed.is_ok()) {
      return not_known(finding.name, finding.purpose, failed, project_,
                       "cloudresourcemanager.googleapis.com");
    }
    finding.found = counted(wanted.size() - lacking.size() - unknown.size(), "permission");
    if (!unknown.empty()) {
      finding.state = State::warning;
      finding.found = "the service cannot say whether you have " + some_of(unknown);
      finding.remedy = roles_remedy(unknown);
    }
    if (!lacking.empty()) {
      finding.state = State::missing;
      finding.found = "you do not have " + some_of(lacking);
      finding.remedy = roles_remedy(lacking);
    }
    return finding;
  }

 private:
  std::string services_url(const std::vector<std::string>& services) const {
    std::string url = service_usage + project_ + "/services:batchGet";
    char separator = '?';
    for (const std::string& service : services) {
      url += fmt::format("{}names=projects/{}/services/{}", separator, project_, service);
      separator = '&';
    }
    return url;
  }

  // The answer's names have the project's number, and their order is not promised.
  static void add_disabled(const json& body, const std::vector<std::string>& services,
                           std::vector<std::string>& disabled) {
    std::set<std::string> enabled;
    for (const json& service : list_at(body, "services")) {
      const std::string name = text_at(service, "name");
      if (text_at(service, "state") == "ENABLED") enabled.insert(name.substr(name.rfind('/') + 1));
    }
    std::ranges::copy_if(services, std::back_inserter(disabled),
                         [&](const std::string& service) { return !enabled.contains(service); });
  }

  // A service may refuse a whole list for one permission that it does not know for projects, which
  // is found by halves.
  Reply test(const std::vector<std::string>& permissions, std::vector<std::string>& lacking,
             std::vector<std::string>& unknown) {
    Reply reply = inquiry_.post(resource_manager + project_ + ":testIamPermissions",
                                {{"permissions", permissions}});
    if (reply.is_ok()) {
      const std::vector<json> has = list_at(reply.body, "permissions");
      for (const std::string& one : permissions) {
        if (std::ranges::find(has, json(one)) == has.end()) lacking.push_back(one);
      }
    } else if (reply.status == 400 && permissions.size() == 1) {
      unknown.push_back(permissions.front());
      return {};
    } else if (reply.status == 400) {
      const auto middle = permissions.begin() + static_cast<ptrdiff_t>(permissions.size() / 2);
      reply = test({permissions.begin(), middle}, lacking, unknown);
      if (reply.is_ok()) reply = test({middle, permissions.end()}, lacking, unknown);
    }
    return reply;
  }

  std::string roles_remedy(const std::vector<std::string>& permissions) const {
    std::set<std::string> roles;
    for (const std::string& one : permissions) roles.insert(needs_.permissions.at(one));
    return fmt::format(
        "an owner of the project types: `for role in {}; do gcloud projects add-iam-policy-binding "
        "{} --member user:YOUR-ADDRESS --role $role --condition None; done`",
        slipway::join(std::vector<std::string>(roles.begin(), roles.end()), " "), project_);
  }

  Inquiry& inquiry_;
  const std::string& project_;
  const ProjectNeeds& needs_;
};

}  // namespace

bool is_project_id(const std::string& text) {
  // Older ones begin with a domain: "example.com:my-project".
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':';
  });
}

Requirement not_known(std::string name, std::string purpose, const Reply& reply,
                      const std::string& project, const std::string& service) {
  Requirement finding{std::move(name), std::move(purpose), State::warning};
  finding.found = "not known: " + reply.problem;
  if (reply.is_disabled) {
    finding.state = State::missing;
    finding.found = service + " is not enabled";
    finding.remedy = fmt::format("`gcloud services enable {} --project {}`", service, project);
  }
  return finding;
}

std::vector<Requirement> ask_projects(Inquiry& inquiry, const CloudNeeds& needs,
                                      std::set<std::string>& closed) {
  std::vector<Requirement> found;
  for (const auto& [project, wanted] : needs.projects) {
    if (!is_project_id(project)) {
      found.push_back({"project " + project, "where the cluster is", State::missing,
                       "a project's id has small letters, digits and `-`", "",
                       "correct `project_id`: `gcloud projects list`"});
      closed.insert(project);
      continue;
    }
    ProjectQuestions questions(inquiry, project, wanted);
    if (!questions.ask_project(found)) {
      closed.insert(project);
      continue;
    }
    found.push_back(questions.ask_services());
    found.push_back(questions.ask_rights());
  }
  return found;
}

std::vector<Requirement> ask_google(Inquiry& inquiry, const CloudNeeds& needs,
                                    const google::Needs& quotas) {
  std::set<std::string> closed;
  std::vector<Requirement> found = ask_projects(inquiry, needs, closed);
  const auto add = [&](std::vector<Requirement> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  };
  add(ask_places(inquiry, needs, closed));
  add(ask_reservations(inquiry, needs, closed));
  if (!needs.project.empty() && !closed.contains(needs.project)) {
    add(ask_quotas(inquiry, needs.project, quotas));
  }
  if (!needs.not_checked.empty()) {
    found.push_back({"other parts", "services and rights", State::warning,
                     fmt::format("not checked: {}", slipway::join(needs.not_checked, ", "))});
  }
  return found;
}

}  // namespace slipway::commands
