// dcgmi diag: the tests of each level, and their results.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/gpu_programs/dcgm.h"
#include "launcher/gpu_programs/fields.h"

namespace slipway::gpu_programs {
namespace {

using Json = nlohmann::ordered_json;

constexpr int diagnostic_error = 226, isolate_error = 205;  // DCGM_ST_NVVS_…, as a status
constexpr auto diagnosis_rule =
    "+---------------------------+------------------------------------------------+\n";

struct Test {
  int level;  // the lowest that has it
  const char* category;
  const char* name;
  std::vector<Part> parts;  // whose findings make it fail
};

// The table of levels is in DCGM's documentation, DCGM Diagnostics.
const std::vector<Test>& all_tests() {
  static const std::vector<Test> tests = {
      {1, "Deployment", "software", {Part::software, Part::driver}},
      {2, "Hardware", "memory", {Part::memory}},
      {3, "Hardware", "diagnostic", {Part::memory, Part::thermal}},
      {3, "Hardware", "nvbandwidth", {Part::pcie, Part::nvlink}},
      {2, "Integration", "pcie", {Part::pcie, Part::nvlink}},
      {3, "Stress", "memory_bandwidth", {Part::memory}},
      {3, "Stress", "targeted_stress", {Part::thermal}},
      {3, "Stress", "targeted_power", {Part::thermal}},
      {4, "Hardware", "memtest", {Part::memory}},
      {4, "Hardware", "pulse_test", {Part::thermal}},
  };
  return tests;
}

struct Result {
  const Device* gpu;
  std::vector<Finding> findings;
  bool failed() const { return !findings.empty(); }
};

struct Outcome {
  const Test* test;
  std::vector<Result> results;
  bool failed() const { return std::ranges::any_of(results, &Result::failed); }
  const char* status() const { return failed() ? "Fail" : "Pass"; }
};

Outcome run_test(const Test& test, const std::vector<Device>& gpus) {
  Outcome outcome{&test, {}};
  for (const Device& gpu : gpus) {
    std::vector<Finding> findings = findings_of(gpu);
    std::erase_if(findings, [&](const Finding& finding) {
      return std::ranges::find(test.parts, finding.part) == test.parts.end();
    });
    outcome.results.push_back({&gpu, std::move(findings)});
  }
  return outcome;
}

std::vector<Outcome> run_tests(const std::vector<Device>& gpus, int level) {
  std::vector<Outcome> outcomes;
  for (const char* category : {"Deployment", "Integration", "Hardware", "Stress"}) {
    for (const Test& test : all_tests()) {
      if (test.level > level || std::string(test.category) != category) continue;
      outcomes.push_back(run_test(test, gpus));
    }
  }
  return outcomes;
}

Json result_json(const Result& result) {
  Json json = {{"entity_group", "GPU"},
               {"entity_group_id", 1},
               {"entity_id", result.gpu->index},
               {"status", result.failed() ? "Fail" : "Pass"}};
  for (const Finding& finding : result.findings) {
    json["warnings"].push_back({{"error_category", finding.category},
                                {"error_id", finding.error},
                                {"error_severity", finding.severity},
                                {"warning", finding.text}});
  }
  return json;
}

Json outcome_json(const Outcome& outcome) {
  Json results = Json::array();
  for (const Result& result : outcome.results) results.push_back(result_json(result));
  return {{"name", outcome.test->name},
          {"results", results},
          {"test_summary", {{"status", outcome.status()}}}};
}

std::string driver_of(const std::vector<Device>& gpus) {
  return gpus.front().library->text("nvmlSystemGetDriverVersion");
}

std::string as_json(const std::vector<Outcome>& outcomes, const std::vector<Device>& gpus) {
  Json categories = Json::array();
  for (const Outcome& outcome : outcomes) {
    if (categories.empty() || categories.back()["category"] != outcome.test->category) {
      categories.push_back({{"category", outcome.test->category}, {"tests", Json::array()}});
    }
    categories.back()["tests"].push_back(outcome_json(outcome));
  }
  Json entities = Json::array();
  for (const Device& gpu : gpus) entities.push_back({{"entity_id", gpu.index}});
  const Json all = {
      {"DCGM Diagnostic", {{"test_categories", categories}}},
      {"entity_groups",
       Json::array({{{"entity_group", "GPU"}, {"entity_group_id", 1}, {"entities", entities}}})},
      {"metadata", {{"Driver Version Detected", driver_of(gpus)}, {"version", dcgm_version}}}};
  return all.dump(2) + "\n";
}

std::string row(const std::string& left, const std::string& right) {
  return fmt::format("| {:<25} | {:<46} |\n", left, right);
}

// A warning takes as many lines as it needs.
std::string warning_rows(const std::string& text) {
  constexpr size_t width = 46;
  std::string rows;
  for (size_t at = 0; at < text.size(); at += width) {
    rows += row(at == 0 ? "Warning: GPU" : "", text.substr(at, width));
  }
  return rows;
}

std::string heading(const std::string& category, char edge) {
  return fmt::format("{}{:-<27}+{:-<48}{}\n", edge, "-----  " + category + "  ", "", edge);
}

std::string as_text(const std::vector<Outcome>& outcomes, const std::vector<Device>& gpus) {
  std::string text = "Successfully ran diagnostic for group.\n";
  text += diagnosis_rule + row("Diagnostic", "Result");
  text += "+===========================+================================================+\n";
  text += heading("Metadata", '|') + row("DCGM Version", dcgm_version) +
          row("Driver Version Detected", driver_of(gpus));
  std::string category;
  for (const Outcome& outcome : outcomes) {
    if (category != outcome.test->category) {
      text += heading(outcome.test->category, category.empty() ? '|' : '+');
      category = outcome.test->category;
    }
    text += row(outcome.test->name, outcome.status());
    for (const Result& result : outcome.results) {
      text +=
          row("", fmt::format("GPU{}: {}", result.gpu->index, result.failed() ? "Fail" : "Pass"));
      for (const Finding& finding : result.findings) text += warning_rows(finding.text);
    }
  }
  return text + diagnosis_rule;
}

int status_of(const std::vector<Outcome>& outcomes) {
  int status = 0;
  for (const Outcome& outcome : outcomes) {
    for (const Result& result : outcome.results) {
      for (const Finding& finding : result.findings) {
        if (status != isolate_error) status = diagnostic_error;
        if (finding.severity == isolate) status = isolate_error;
      }
    }
  }
  return status;
}

}  // namespace

Diagnosis diagnose(const std::vector<Device>& gpus, int level, bool json) {
  const std::vector<Outcome> outcomes = run_tests(gpus, level);
  return {json ? as_json(outcomes, gpus) : as_text(outcomes, gpus), status_of(outcomes)};
}

}  // namespace slipway::gpu_programs
