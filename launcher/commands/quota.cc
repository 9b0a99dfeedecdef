// `slipway quota`: prints what a blueprint needs from the cloud's quotas.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/host_list.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/google/needs.h"

namespace slipway::commands {
namespace {

using google::Need;
using google::Needs;

std::string name_of(const Need& need) {
  return need.dimension.empty() ? need.quota : fmt::format("{} {}", need.quota, need.dimension);
}

std::string amount_of(const Need& need) {
  return need.unit.empty() ? std::to_string(need.amount)
                           : fmt::format("{} {}", need.amount, need.unit);
}

std::string as_text(const Needs& needs, const Paint& paint) {
  size_t width = 0, amounts = 0;
  for (const Need& need : needs.quotas) {
    width = std::max(width, name_of(need).size());
    amounts = std::max(amounts, amount_of(need).size());
  }
  std::string text;
  const Need* before = nullptr;
  for (const Need& need : needs.quotas) {
    if (before == nullptr || before->region != need.region || before->service != need.service) {
      text += fmt::format(
          "{}{}\n", before == nullptr ? "" : "\n",
          paint.bold(fmt::format("{}, {}", need.region.empty() ? "the whole project" : need.region,
                                 need.service)));
    }
    before = &need;
    std::string line = fmt::format(
        "  {}  {:>{}}  {}", padded(name_of(need), width), amount_of(need), amounts,
        names_of_nodes({need.modules.begin(), need.modules.end()}));  // modules, numbered alike
    if (need.on_demand > 0) line += fmt::format(" ({} only while jobs need them)", need.on_demand);
    text += line + "\n";
  }
  for (const std::string& note : needs.notes) text += fmt::format("\nnot counted: {}", note);
  return needs.notes.empty() ? text : text + "\n";
}

std::string as_json(const std::string& deployment, const Needs& needs) {
  nlohmann::ordered_json json{{"schema", "slipway/quota/1"}, {"deployment", deployment}};
  json["quotas"] = nlohmann::ordered_json::array();
  for (const Need& need : needs.quotas) {
    nlohmann::ordered_json item;
    if (!need.region.empty()) item["region"] = need.region;
    item["service"] = need.service;
    item["quota"] = need.quota;
    if (!need.dimension.empty()) item["dimension"] = need.dimension;
    if (!need.unit.empty()) item["unit"] = need.unit;
    item["needed"] = need.amount;
    item["on_demand"] = need.on_demand;
    item["modules"] = need.modules;
    json["quotas"].push_back(std::move(item));
  }
  json["not_counted"] = needs.notes;
  return json.dump(2) + "\n";
}

}  // namespace

int quota(Args args) {
  BlueprintInput input;
  bool json = false;
  CommandLine line("slipway quota",
                   "Print what a cluster on Google Cloud needs from the project's quotas.");
  line.about(
      "The amounts are those of a cluster with every node up, by region. Add what the "
      "project uses already, and request at least that much.");
  input.add_options(line);
  line.json("schema slipway/quota/1", &json);
  line.example("slipway quota cluster.yaml -d site.yaml", "count CPUs, GPUs, disks, addresses, …");
  line.example("slipway quota cluster.yaml --json | jq '.quotas[] | select(.region)'",
               "print the regional ones");
  line.see_also("slipway-create(1)");
  if (!line.parse(args)) return 0;
  LoadedBlueprint loaded(input, Purpose::definitions);
  const google::Definitions definitions = loaded.define();
  const google::Needs needs = loaded.count_needs(definitions);
  std::fputs(
      (json ? as_json(definitions.deployment, needs) : for_locale(as_text(needs, stdout_paint())))
          .c_str(),
      stdout);
  return 0;
}

}  // namespace slipway::commands
