// Google Cloud with the credentials of the person who runs `slipway`.
#include "launcher/commands/operator_cloud.h"

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/environment.h"
#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/apply/programs.h"

namespace slipway::commands {
namespace {

constexpr std::string_view compute_endpoint = "https://compute.googleapis.com/compute/v1/";

// Where services are, and the variable that says where else:
// registry.terraform.io/providers/hashicorp/google/latest/docs/guides/provider_reference
struct ServiceEndpoint {
  std::string_view base;
  const char* variable;
};

constexpr ServiceEndpoint service_endpoints[] = {
    {compute_endpoint, "GOOGLE_COMPUTE_CUSTOM_ENDPOINT"},
    {"https://cloudresourcemanager.googleapis.com/v1/", "GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT"},
    {"https://serviceusage.googleapis.com/v1/", "GOOGLE_SERVICE_USAGE_CUSTOM_ENDPOINT"},
    {"https://cloudquotas.googleapis.com/v1/", "GOOGLE_CLOUD_QUOTAS_CUSTOM_ENDPOINT"},
};

// A service account's key file, if a variable of the provider names one.
std::string key_file() {
  std::error_code ignored;
  for (const char* name : {"GOOGLE_CREDENTIALS", "GOOGLE_CLOUD_KEYFILE_JSON", "GCLOUD_KEYFILE_JSON",
                           "GOOGLE_APPLICATION_CREDENTIALS"}) {
    const std::string value = environment_variable(name);
    if (!value.empty() && std::filesystem::is_regular_file(value, ignored)) return value;
  }
  return "";
}

std::string ask_gcloud(const std::string& gcloud, bool application_default) {
  std::vector<std::string> argv = {"/usr/bin/env"};
  const std::string file = key_file();
  if (!file.empty()) argv.push_back("CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE=" + file);
  argv.insert(argv.end(), {gcloud, "auth"});
  if (application_default) argv.emplace_back("application-default");
  argv.insert(argv.end(), {"print-access-token", "--quiet"});
  const std::string account = environment_variable("GOOGLE_IMPERSONATE_SERVICE_ACCOUNT");
  if (!account.empty()) argv.push_back("--impersonate-service-account=" + account);
  const ProcessResult done = run_process(argv, {.input = "", .deadline = std::chrono::minutes(1)});
  return done.ok() ? std::string(trim(done.output)) : "";
}

}  // namespace

std::optional<std::string> find_operator_token() {
  std::string given = environment_variable("GOOGLE_OAUTH_ACCESS_TOKEN");
  if (!given.empty()) return given;
  const auto gcloud = apply::find_in_path("gcloud");
  if (!gcloud) return std::nullopt;
  // Terraform uses the application's credentials first.
  for (const bool application_default : {true, false}) {
    if (application_default && !key_file().empty()) continue;
    std::string token = ask_gcloud(gcloud->native(), application_default);
    if (!token.empty()) return token;
  }
  return std::nullopt;
}

std::string operator_token() {
  if (auto token = find_operator_token()) return *std::move(token);
  throw Error(
      "cannot look for machines that Slurm started: no credentials; run `gcloud auth login`, or "
      "set GOOGLE_OAUTH_ACCESS_TOKEN (`--keep-machines` does not look for them)");
}

std::string at_endpoint(const std::string& url, std::string_view base,
                        const std::string& endpoint) {
  if (endpoint.empty() || !url.starts_with(base)) return url;
  const std::string slash = endpoint.ends_with('/') ? "" : "/";
  return endpoint + slash + url.substr(base.size());
}

node::Cloud operator_cloud(const std::string& token, const std::string& project) {
  return node::Cloud([token, project](node::HttpRequest request) {
    if (request.url.starts_with("http://169.254.169.254/")) {
      const nlohmann::json own{{"access_token", token}, {"expires_in", 3600}};
      return node::HttpAnswer{200, own.dump(), ""};
    }
    if (!project.empty() && !request.url.starts_with(compute_endpoint)) {
      request.headers.push_back("X-Goog-User-Project: " + project);
    }
    for (const ServiceEndpoint& service : service_endpoints) {
      request.url = at_endpoint(request.url, service.base, environment_variable(service.variable));
    }
    node::HttpAnswer answer = node::send(request);
    // A machine would get another token and go on; this one stays wrong.
    if (answer.status == 401) {
      throw Error(
          "Google Cloud refuses the credentials: run `gcloud auth login`, or renew "
          "GOOGLE_OAUTH_ACCESS_TOKEN");
    }
    return answer;
  });
}

}  // namespace slipway::commands
