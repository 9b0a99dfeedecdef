// The values of the variables by which frameworks find each other.
#include "launcher/job/frameworks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "common/error.h"
#include "common/text.h"

namespace slipway::job {
namespace {

constexpr const char* node_list_word = "{node_list}";

// Without the list of nodes, which is long in a large job.
std::vector<ValueWord> words_of_all(const World& world) {
  const std::string nodes = std::to_string(world.nodes.size());
  const std::string per_node = std::to_string(world.tasks_per_node);
  return {
      {"{host}", world.nodes.empty() ? "" : world.nodes.front()},
      {"{port}", std::to_string(world.port)},
      {"{second_port}", std::to_string(world.second_port)},
      {"{job}", world.job},
      {"{restarts}", std::to_string(world.restarts)},
      {"{tasks}", std::to_string(world.size())},
      {"{tasks_per_node}", per_node},
      // As Slurm writes it: "2(x3)", and "2" for a single node.
      {"{tasks_each}", world.nodes.size() > 1 ? fmt::format("{}(x{})", per_node, nodes) : per_node},
      {"{nodes}", nodes}};
}

// A plain list: JAX takes the first name for the node of rank 0, and Slurm's bracket form is
// sorted.
std::string with_node_list(std::string value, const World& world) {
  if (value.find(node_list_word) == value.npos) return value;
  return fill_in(std::move(value), {{node_list_word, join(world.nodes, ",")}});
}

std::vector<ValueWord> words_of_task(const World& world, const Place& place) {
  return {{"{rank}", std::to_string(place.rank(world))},
          {"{local_rank}", std::to_string(place.local_rank)},
          {"{node}", std::to_string(place.node)}};
}

bool differs_by_task(const std::string& value) {
  static const std::vector<ValueWord> words = words_of_task({}, {});
  return std::ranges::any_of(
      words, [&](const ValueWord& word) { return value.find(word.first) != value.npos; });
}

std::vector<std::string> names_of(const std::vector<Framework>& all) {
  std::vector<std::string> names;
  for (const Framework& each : all) names.push_back(each.name);
  return names;
}

// Values may be long, such as a list of a thousand nodes.
std::string shortened(const std::string& value) {
  constexpr size_t longest = 48;
  return value.size() <= longest ? value : value.substr(0, longest - 3) + "...";
}

}  // namespace

std::string fill_in(std::string text, const std::vector<ValueWord>& words) {
  for (const auto& [word, value] : words) {
    for (size_t at = 0; (at = text.find(word, at)) != text.npos; at += value.size()) {
      text.replace(at, std::string_view(word).size(), value);
    }
  }
  return text;
}

std::vector<std::string> value_words() {
  std::vector<std::string> all;
  for (const ValueWord& word : words_of_all({})) all.emplace_back(word.first);
  all.emplace_back(node_list_word);
  for (const ValueWord& word : words_of_task({}, {})) all.emplace_back(word.first);
  return all;
}

std::string value_for_task(const std::string& value, const World& world, const Place& place) {
  return fill_in(fill_in(with_node_list(value, world), words_of_all(world)),
                 words_of_task(world, place));
}

std::optional<std::string> value_for_all(const std::string& value, const World& world) {
  if (differs_by_task(value)) return std::nullopt;
  return fill_in(with_node_list(value, world), words_of_all(world));
}

std::vector<Framework> frameworks_of(const std::vector<Framework>& all,
                                     const std::vector<std::string>& command,
                                     const std::string& name) {
  if (!name.empty() && std::ranges::find(all, name, &Framework::name) == all.end()) {
    const std::vector<std::string> names = names_of(all);
    const std::string near = nearest(name, names);
    throw UsageError(fmt::format("--framework `{}` is not one of {}{}", name, join(names, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
  }
  const auto applies = [&](const Framework& each) {
    return each.argument.empty() || each.name == name ||
           std::ranges::find(command, each.argument) != command.end();
  };
  std::set<std::string> replaced;
  for (const Framework& each : all) {
    if (applies(each)) replaced.insert(each.instead_of.begin(), each.instead_of.end());
  }
  std::vector<Framework> chosen;
  for (const Framework& each : all) {
    if (applies(each) && !replaced.contains(each.name)) chosen.push_back(each);
  }
  return chosen;
}

TaskVariables::TaskVariables(std::vector<Framework> frameworks, const Lookup& users)
    : frameworks_(std::move(frameworks)) {
  for (const Framework& framework : frameworks_) {
    for (const FrameworkVariable& variable : framework.variables) {
      rows_.push_back(
          {variable, framework.name, framework.of_slurm ? std::nullopt : users(variable.name)});
    }
  }
}

Variables TaskVariables::for_all(const World& world) const {
  Variables all;
  for (const Row& row : rows_) {
    const auto value = value_for_all(row.variable.value, world);
    if (value && !row.kept()) all[row.variable.name] = *value;
  }
  return all;
}

Variables TaskVariables::for_task(const World& world, const Place& place) const {
  const std::vector<ValueWord> of_all = words_of_all(world), of_task = words_of_task(world, place);
  Variables own;
  for (const Row& row : rows_) {
    if (row.kept() || !differs_by_task(row.variable.value)) continue;
    own[row.variable.name] =
        fill_in(fill_in(with_node_list(row.variable.value, world), of_all), of_task);
  }
  return own;
}

std::vector<std::string> TaskVariables::notes(const World& world) const {
  std::vector<std::string> all;
  for (const Row& row : rows_) {
    if (!row.users) continue;
    const std::string ours = value_for_task(row.variable.value, world, {});
    if (row.kept()) {
      all.push_back(fmt::format("{}={} stays, in every attempt: it is in the job's environment",
                                row.variable.name, shortened(*row.users)));
    } else if (differs_by_task(row.variable.value) || *row.users != ours) {
      all.push_back(fmt::format("{}={} of the job's environment is replaced: tasks get their own",
                                row.variable.name, shortened(*row.users)));
    }
  }
  return all;
}

std::string TaskVariables::table(const World& world) const {
  std::vector<std::array<std::string, 3>> lines = {{"variable", "value for rank 0", "framework"}};
  for (const Row& row : rows_) {
    const std::string value =
        row.kept() ? *row.users : value_for_task(row.variable.value, world, {});
    lines.push_back({row.variable.name, shortened(value), row.kept() ? "yours" : row.framework});
  }
  std::array<size_t, 2> widths = {};
  for (const auto& line : lines) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{:{}}  {:{}}  {}\n", line[0], widths[0], line[1], widths[1], line[2]);
  }
  for (const Framework& each : frameworks_) {
    text += fmt::format("\n{}: {}\n", each.name, each.what);
    if (!each.wants.empty()) text += fmt::format("  also reads {}\n", join(each.wants, ", "));
    if (!each.note.empty()) text += fmt::format("  {}\n", each.note);
    std::set<std::string> documents;
    if (!each.source.empty()) documents.insert(each.source);
    for (const FrameworkVariable& variable : each.variables) documents.insert(variable.source);
    for (const std::string& document : documents) text += fmt::format("  source: {}\n", document);
  }
  return text;
}

}  // namespace slipway::job
