// Finds Terraform or OpenTofu, and Packer.
#include "launcher/apply/programs.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::apply {
namespace {

using source::Code;

// The first versions that can read the definitions. OpenTofu began with 1.6; Packer reads and
// validates HCL2 templates in JSON since 1.6.
constexpr const char* oldest_terraform = "1.5.0";
constexpr const char* oldest_packer = "1.6.0";

constexpr const char* terraform_pages =
    "install it from https://developer.hashicorp.com/terraform/install or https://opentofu.org";
constexpr const char* packer_page =
    "install it from https://developer.hashicorp.com/packer/install";

std::string terraform_version_of(const std::filesystem::path& program) {
  const ProcessResult result =
      run_process({program.string(), "version", "-json"}, {"", std::chrono::seconds(60)});
  const auto answer = nlohmann::json::parse(result.output, nullptr, false);
  return result.ok() && answer.is_object() ? answer.value("terraform_version", "") : "";
}

// Parses "1.6.6" or "Packer v1.6.6".
std::string packer_version_of(const std::filesystem::path& program) {
  const ProcessResult result =
      run_process({program.string(), "-version"}, {"", std::chrono::seconds(60)});
  const std::string text(trim(result.output));
  const size_t digit = text.find_first_of("0123456789");
  if (!result.ok() || digit == std::string::npos) return {};
  return text.substr(digit, text.find_first_of(" \n", digit) - digit);
}

class Finder {
 public:
  Finder(const Places& places, source::Diagnostics& diagnostics)
      : places_(places), diagnostics_(diagnostics) {}

  Program terraform(const std::string& group, const std::string& before) {
    Program program = find_terraform(before);
    if (!program.path.empty()) return checked(std::move(program), group);
    error(group, fmt::format("group `{}` needs Terraform, but neither `terraform` nor `tofu` is in "
                             "PATH",
                             group))
        .help(terraform_pages);
    return {};
  }

  Program packer(const std::string& group) {
    Program program = find_packer();
    if (!program.path.empty()) return checked(std::move(program), group);
    error(group, fmt::format("group `{}` needs Packer, but `packer` is not in PATH", group))
        .help(packer_page);
    return {};
  }

 private:
  source::Diagnostic& error(const std::string& group, std::string message) {
    return diagnostics_.error(Code::no_program, places_.group(group), std::move(message));
  }

  Program checked(Program program, const std::string& group) {
    const std::string problem = problem_of(program);
    if (!problem.empty()) error(group, fmt::format("group `{}` needs {}", group, problem));
    return program;
  }

  const Places& places_;
  source::Diagnostics& diagnostics_;
};

Requirement required(const Program& program, std::string name, std::string purpose, Needed needed,
                     const char* advice) {
  Requirement one{std::move(name), std::move(purpose), lacks(needed), "", "", advice};
  if (program.path.empty()) {
    one.found = "not in PATH";
  } else if (const std::string problem = problem_of(program); !problem.empty()) {
    one.found = "needed: " + problem;
  } else {
    one.state = Requirement::State::ok;
    one.found = fmt::format("{} {}", program.path.string(), program.version);
  }
  return one;
}

// Where Google's libraries look for credentials. The files are not read: they are secrets.
// https://docs.cloud.google.com/docs/authentication/application-default-credentials
Requirement credentials() {
  Requirement one{"application default credentials",
                  "Terraform and Packer act on your behalf",
                  Requirement::State::warning,
                  "",
                  "",
                  "gcloud auth application-default login; a machine of Google Cloud has its own"};
  std::filesystem::path file;
  if (const char* named = std::getenv("GOOGLE_APPLICATION_CREDENTIALS")) {
    file = named;
  } else if (const char* home = std::getenv("HOME")) {
    file = std::filesystem::path(home) / ".config/gcloud/application_default_credentials.json";
  }
  if (!file.empty() && ::access(file.c_str(), R_OK) == 0) one.state = Requirement::State::ok;
  one.found = one.state == Requirement::State::ok ? file.string() : "no file " + file.string();
  return one;
}

}  // namespace

Program find_terraform(const std::string& before) {
  std::vector<std::string> names{"terraform", "tofu"};
  if (before == "tofu") std::swap(names[0], names[1]);
  for (const std::string& name : names) {
    if (const auto path = find_in_path(name)) return {name, *path, terraform_version_of(*path)};
  }
  return {};
}

Program find_packer() {
  const auto path = find_in_path("packer");
  return path ? Program{"packer", *path, packer_version_of(*path)} : Program{};
}

std::string problem_of(const Program& program) {
  const std::string path = program.path.string();
  const char* const least = program.name == "packer" ? oldest_packer : oldest_terraform;
  if (program.version.empty()) return fmt::format("`{}`, whose version is not known", path);
  if (is_at_least(program.version, least)) return {};
  return fmt::format("`{}` {} or newer, but {} is {}", program.name, least, path, program.version);
}

std::optional<std::filesystem::path> find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (!folder.starts_with('/')) continue;
    const std::filesystem::path program = std::filesystem::path(folder) / name;
    struct stat info = {};
    if (::stat(program.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

bool is_at_least(const std::string& version, const std::string& least) {
  const auto numbers = [](const std::string& text) {
    std::vector<long> out;
    for (const std::string& part : split(text.substr(0, text.find_first_of("-+")), '.')) {
      out.push_back(std::strtol(part.c_str(), nullptr, 10));
    }
    out.resize(3);
    return out;
  };
  return numbers(version) >= numbers(least);
}

Programs find_programs(const std::vector<google::GroupSteps>& groups, const std::string& before,
                       const Places& places, source::Diagnostics& diagnostics) {
  Programs programs;
  Finder finder(places, diagnostics);
  const auto first = [&](const std::string& kind) {
    return std::find_if(groups.begin(), groups.end(),
                        [&](const google::GroupSteps& group) { return group.kind == kind; });
  };
  const auto terraform = first("terraform");
  if (terraform != groups.end()) programs.terraform = finder.terraform(terraform->name, before);
  const auto packer = first("packer");
  if (packer != groups.end()) programs.packer = finder.packer(packer->name);
  return programs;
}

std::vector<Requirement> requirements() {
  std::vector<Requirement> all{
      required(find_terraform(), "Terraform or OpenTofu", "creates what a blueprint describes",
               Needed::always, terraform_pages),
      required(find_packer(), "Packer", "builds images, in groups of kind packer",
               Needed::sometimes, packer_page),
      credentials()};
  const auto gcloud = find_in_path("gcloud");
  all.push_back({"gcloud", "removes images (slipway destroy --images)",
                 gcloud ? Requirement::State::ok : Requirement::State::warning,
                 gcloud ? gcloud->string() : "", "",
                 "install it from https://docs.cloud.google.com/sdk/docs/install"});
  const auto git = find_in_path("git");
  all.push_back({"git", "fetches modules (slipway fetch)",
                 git ? Requirement::State::ok : Requirement::State::warning,
                 git ? git->string() : "", "git"});
  return all;
}

}  // namespace slipway::apply
