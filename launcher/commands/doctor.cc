// `slipway doctor`: says what this machine lacks.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "common/command_description.h"
#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/locale_text.h"
#include "common/requirement.h"
#include "common/text.h"
#include "launcher/apply/programs.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/doctor_google.h"
#include "launcher/commands/operator_cloud.h"
#include "launcher/commands/page.h"
#include "launcher/google/definitions.h"
#include "launcher/local/requirements.h"
#include "launcher/node/requirements.h"

namespace slipway::commands {
namespace {

using State = Requirement::State;

struct Inspection {
  const char* name;
  const char* title;
  std::vector<Requirement> (*look)();
};

constexpr Inspection inspections[] = {
    {"local", "A cluster on this machine", local::requirements},
    {"google", "Clusters on Google Cloud, deployed from this machine", apply::requirements},
    {"node", "This machine as a compute node", [] { return node::requirements(); }},
};

const Inspection& find_inspection(const std::string& name) {
  for (const Inspection& inspection : inspections) {
    if (name == inspection.name) return inspection;
  }
  throw UsageError(fmt::format("unknown target `{}`; known: local, google, node", name));
}

const char* name_of(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::warning:
      return "warning";
    case State::missing:
      return "missing";
  }
  return "";
}

std::string painted(State state, const Paint& paint) {
  const std::string text = padded(name_of(state), 7);
  switch (state) {
    case State::ok:
      return paint.green(text);
    case State::warning:
      return paint.yellow(text);
    case State::missing:
      return paint.red(text);
  }
  return text;
}

// "not in PATH; Debian package git"
std::string details(const Requirement& one) {
  std::vector<std::string> parts;
  if (!one.found.empty()) parts.push_back(one.found);
  if (one.state != State::ok && !one.package.empty()) {
    parts.push_back("Debian package " + one.package);
  }
  if (one.state != State::ok && !one.remedy.empty()) parts.push_back(one.remedy);
  return join(parts, "; ");
}

size_t count(const std::vector<Requirement>& all, State state) {
  return static_cast<size_t>(std::ranges::count(all, state, &Requirement::state));
}

// "2 missing, 1 warning; as root: apt-get install munge slurmd"
std::string conclusion(const std::vector<Requirement>& all) {
  const size_t missing = count(all, State::missing), warnings = count(all, State::warning);
  std::string text =
      fmt::format("{} missing, {}", missing == 0 ? "nothing" : std::to_string(missing),
                  counted(warnings, "warning"));
  std::set<std::string> packages;
  for (const Requirement& one : all) {
    if (one.state == State::missing && !one.package.empty()) packages.insert(one.package);
  }
  if (packages.empty()) return text;
  const std::vector<std::string> names(packages.begin(), packages.end());
  return fmt::format("{}; as root: apt-get install {}", text, join(names, " "));
}

std::string as_text(const Inspection& inspection, const std::vector<Requirement>& all,
                    const Paint& paint) {
  size_t width = 0;
  for (const Requirement& one : all) width = std::max(width, one.name.size());
  std::string text = paint.bold(inspection.title) + "\n";
  constexpr size_t before_name = 11;
  for (const Requirement& one : all) {
    const size_t before_purpose = before_name + width + 2;
    std::string purpose = fold(one.purpose, before_purpose);
    text += purpose.replace(
        0, before_purpose,
        fmt::format("  {}  {}  ", painted(one.state, paint), padded(one.name, width)));
    if (const std::string more = details(one); !more.empty()) {
      text += paint.dim(wrapped(more, before_name, terminal_width));
    }
  }
  return text + conclusion(all) + "\n";
}

std::string as_json(const Inspection& inspection, const std::vector<Requirement>& all) {
  nlohmann::ordered_json json{{"schema", "slipway/doctor/1"},
                              {"target", inspection.name},
                              {"missing", count(all, State::missing)},
                              {"warnings", count(all, State::warning)},
                              {"requirements", nlohmann::ordered_json::array()}};
  for (const Requirement& one : all) {
    nlohmann::ordered_json item{
        {"name", one.name}, {"state", name_of(one.state)}, {"purpose", one.purpose}};
    if (!one.found.empty()) item["found"] = one.found;
    if (!one.package.empty()) item["package"] = one.package;
    if (!one.remedy.empty()) item["remedy"] = one.remedy;
    json["requirements"].push_back(std::move(item));
  }
  return json.dump(2) + "\n";
}

// What the blueprint needs from Google Cloud, and whether it is there.
std::vector<Requirement> inspect_project(const BlueprintInput& input) {
  LoadedBlueprint loaded(input, Purpose::definitions);
  const google::Definitions definitions = loaded.define();
  const google::CloudNeeds needs = loaded.cloud_needs(definitions);
  const auto token = find_operator_token();
  if (!token) {
    return {{"credentials", "asking Google Cloud about the blueprint's projects", State::missing,
             "neither gcloud nor GOOGLE_OAUTH_ACCESS_TOKEN has any", "",
             "`gcloud auth application-default login`"}};
  }
  node::Cloud cloud = operator_cloud(*token, needs.project);
  Inquiry inquiry(cloud);
  return ask_google(inquiry, needs, loaded.count_needs(definitions));
}

constexpr const char* doctor_about =
    "It looks at everything that Slipway needs from this machine: programs and their versions, "
    "features of the kernel, permissions. TARGET is `local` for clusters on this machine, "
    "`google` for deploying to Google Cloud, or `node` for a compute node of a Slurm cluster. "
    "What only some commands need is a warning. With `google` and a BLUEPRINT, it also asks Google "
    "Cloud whether the blueprint's projects have what the cluster needs: enabled services, your "
    "rights, quotas, zones with the machine types, images, reservations. It changes nothing there, "
    "and says for each finding what to type.";

}  // namespace

int doctor(Args args) {
  std::string target = "local";
  BlueprintInput input;
  bool json = false;
  CommandLine line("slipway doctor", "Say what this machine or project lacks, and how to get it.");
  line.about(doctor_about);
  line.positional("TARGET", &target, Arity::optional);
  input.add_options(line, "BLUEPRINT", Arity::optional);
  line.json("schema slipway/doctor/1", &json);
  line.example("slipway doctor", "before the first `slipway deploy`");
  line.example("slipway doctor google cluster.yaml -d site.yaml", "before the first one there");
  line.example("sudo slipway doctor node", "on a compute node, as health checks run as root");
  line.exit_status("1", "something that is always needed is missing");
  line.see_also("slipway-deploy(1)");
  line.see_also("slipway-health(1)");
  line.see_also("slipway-quota(1)");
  if (!line.parse(args)) return 0;
  const Inspection& inspection = find_inspection(target);
  if (!input.blueprint.empty() && target != "google") {
    throw UsageError("a blueprint is for the target `google`");
  }
  std::vector<Requirement> all = inspection.look();
  if (!input.blueprint.empty()) std::ranges::move(inspect_project(input), std::back_inserter(all));
  fmt::print(
      "{}", json ? as_json(inspection, all) : for_locale(as_text(inspection, all, stdout_paint())));
  return count(all, State::missing) == 0 ? 0 : 1;
}

}  // namespace slipway::commands
