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
    std::vector<std::string> names{"terraform", "tofu"};
    if (before == "tofu") std::swap(names[0], names[1]);
    for (const std::string& name : names) {
      const auto path = find_in_path(name);
      if (path) return checked({name, *path, terraform_version_of(*path)}, group, oldest_terraform);
    }
    error(group, fmt::format("group `{}` needs Terraform, but neither `terraform` nor `tofu` is in "
                             "PATH",
                             group))
        .help(
            "install it from https://developer.hashicorp.com/terraform/install or "
            "https://opentofu.org");
    return {};
  }

  Program packer(const std::string& group) {
    const auto path = find_in_path("packer");
    if (path) return checked({"packer", *path, packer_version_of(*path)}, group, oldest_packer);
    error(group, fmt::format("group `{}` needs Packer, but `packer` is not in PATH", group))
        .help("install it from https://developer.hashicorp.com/packer/install");
    return {};
  }

 private:
  source::Diagnostic& error(const std::string& group, std::string message) {
    return diagnostics_.error(Code::no_program, places_.group(group), std::move(message));
  }

  Program checked(Program program, const std::string& group, const std::string& least) {
    if (program.version.empty()) {
      error(group, fmt::format("group `{}` needs `{}`, whose version is not known", group,
                               program.path.string()));
    } else if (!is_at_least(program.version, least)) {
      error(group, fmt::format("group `{}` needs `{}` {} or newer, but {} is {}", group,
                               program.name, least, program.path.string(), program.version));
    }
    return program;
  }

  const Places& places_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

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

}  // namespace slipway::apply
