// `slipway help`: lists the verbs, or prints the help of one.
#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {
namespace {

using Json = nlohmann::ordered_json;

// "  status      Show …", folded next to the name.
std::string list_entry(const std::string& name, std::string summary) {
  constexpr size_t indent = 14;
  if (summary.ends_with('.')) summary.pop_back();
  std::string text = fold(summary, indent);
  return text.replace(0, indent, fmt::format("  {:<{}} ", name, indent - 3));
}

// The descriptions of a verb, its parts, their parts, and so on.
void add_descriptions(const Command& command, const std::vector<std::string>& parts, Json& list) {
  const CommandDescription description = description_of(command, parts);
  Json one = Json::parse(to_json(description));
  one["group"] = command.group;
  list.push_back(std::move(one));
  for (const CommandDescription::Row& part : description.parts) {
    std::vector<std::string> longer = parts;
    longer.push_back(part.name);
    add_descriptions(command, longer, list);
  }
}

std::string all_as_json() {
  Json list = Json::array();
  for (const Command& command : table()) add_descriptions(command, {}, list);
  return Json{{"schema", "slipway/commands/1"}, {"commands", std::move(list)}}.dump(2) + "\n";
}

}  // namespace

std::string overview() {
  std::string text =
      "Slipway turns a blueprint into a Slurm cluster for GPU training.\n\n"
      "Usage: slipway COMMAND [options]\n";
  std::string group;
  for (const Command& command : table()) {
    if (group != command.group) text += fmt::format("\n{}:\n", command.group);
    group = command.group;
    text += list_entry(command.name, description_of(command).summary);
  }
  return text +
         "\n`slipway help COMMAND` describes a command, with examples. `man slipway` has the\n"
         "same pages. The bandwidth tests, all_gather_perf and others, are programs of\n"
         "their own.\n";
}

std::string first_steps() {
  return "Slipway turns a blueprint into a Slurm cluster for GPU training.\n\n"
         "Usage: slipway COMMAND [options]\n\n"
         "First steps:\n"
         "  slipway check examples/quickstart.yaml    check a blueprint\n"
         "  slipway deploy examples/quickstart.yaml   start its cluster on this machine\n"
         "  slipway status quickstart                 show its nodes and jobs\n"
         "  slipway exec quickstart login             open a shell on its login node\n"
         "  slipway destroy quickstart                remove it\n\n"
         "`slipway help` lists all commands, `slipway help COMMAND` describes one.\n";
}

int help(Args args) {
  std::vector<std::string> words;
  bool json = false;
  CommandLine line("slipway help", "List the commands, or describe one.");
  line.rest("COMMAND...", &words, Arity::optional);
  line.json("schemas slipway/commands/1 and slipway/command/1", &json);
  line.example("slipway help", "list the commands");
  line.example("slipway help node boot", "describe one");
  if (!line.parse(args)) return 0;
  if (words.empty()) {
    std::fputs((json ? all_as_json() : overview()).c_str(), stdout);
    return 0;
  }
  const Command& command = find_command(words[0]);
  words.erase(words.begin());
  words.emplace_back(json ? "--help=json" : "--help");
  return command.run(words);
}

}  // namespace slipway::commands
