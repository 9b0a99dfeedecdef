// Reads a report of a bandwidth test for the history.
#include "launcher/history/run_record.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/sha256.h"
#include "common/text.h"

namespace slipway::history {
namespace {

using nlohmann::json;

constexpr std::string_view report_schema = "slipway/bandwidth/1";
constexpr size_t largest_report = 256U << 20;

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// "NCCL" and "2.28.9" of "NCCL 2.28.9+cuda13.0": everything before the first digit is the name.
std::pair<std::string, std::string> library_version(const std::string& library) {
  const size_t digit = library.find_first_of("0123456789");
  std::string name(trim(library.substr(0, digit)));
  if (name.ends_with(" v")) name.resize(name.size() - 2);
  return {name.empty() ? "library" : name,
          digit == std::string::npos ? library : library.substr(digit)};
}

std::map<std::string, std::string> versions_of(const json& report) {
  std::map<std::string, std::string> versions;
  if (const auto software = report.find("software"); software != report.end()) {
    for (const auto& [name, version] : software->items()) {
      versions[name == "slurm" ? "Slurm" : name] = version.get<std::string>();
    }
  }
  // The library of the backend tcp is the kernel, which is there already.
  if (report.at("backend") != "tcp")
    versions.insert(library_version(report.at("library").get<std::string>()));
  versions["Slipway"] = report.at("version");
  return versions;
}

std::string cluster_of(const json& report) {
  const json& profile = report.at("node_profile");
  if (!profile.is_null()) return text_in(profile, "cluster");
  const std::string cluster = text_in(report.at("environment"), "SLURM_CLUSTER_NAME");
  return cluster.empty() ? "unknown" : cluster;
}

std::string conditions_of(const json& report) {
  std::vector<std::string> parts;
  const json& profile = report.at("node_profile");
  if (!profile.is_null()) parts.push_back(text_in(profile, "machine_type"));
  parts.push_back(report.at("backend"));
  parts.push_back(text_in(report, "transport"));
  const json& settings = report.at("settings");
  parts.push_back(settings.at("timing"));
  if (settings.at("operations_per_iteration") != 1) {
    parts.push_back(fmt::format("-m {}", settings.at("operations_per_iteration").get<int64_t>()));
  }
  std::erase(parts, "");
  return join(parts, ", ");
}

std::vector<Figure> figures_of(const json& report) {
  std::vector<Figure> figures;
  for (const json& row : report.at("results")) {
    std::string what = row.at("datatype");
    if (!row.at("reduction").is_null()) what += ", " + row.at("reduction").get<std::string>();
    if (!row.at("root").is_null()) what += fmt::format(", root {}", row.at("root").get<int>());
    for (const auto& [key, name] :
         {std::pair("out_of_place", "out of place"), std::pair("in_place", "in place")}) {
      const double busbw = row.at(key).at("busbw_gb_per_s");
      if (busbw <= 0) continue;  // one rank alone
      figures.push_back({row.at("size_bytes"), what + ", " + name, busbw});
    }
  }
  return figures;
}

RunRecord run_of(const json& report) {
  if (report.at("schema") != report_schema) {
    throw Error(
        fmt::format("its schema is {}, expected `{}`", report.at("schema").dump(), report_schema));
  }
  return {.id = {},
          .started = report.at("started_utc"),
          .cluster = cluster_of(report),
          .collective = report.at("collective"),
          .nodes = report.at("node_count"),
          .ranks = report.at("rank_count"),
          .conditions = conditions_of(report),
          .versions = versions_of(report),
          .figures = figures_of(report)};
}

}  // namespace

RunRecord parse_report(std::string_view text, const std::string& name) {
  try {
    const json report = json::parse(text);
    RunRecord run = run_of(report);
    run.id = sha256(report.dump());  // a copy with other spaces is the same report
    return run;
  } catch (const std::exception& error) {  // nlohmann's exceptions, and Error
    throw Error(fmt::format("{} is not a bandwidth report: {}", name, error.what()));
  }
}

RunRecord read_run(const std::filesystem::path& file) {
  return parse_report(read_regular_file(file, largest_report), file.string());
}

}  // namespace slipway::history
