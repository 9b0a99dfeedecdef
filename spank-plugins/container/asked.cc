// Collects what a job asks for.
#include "spank-plugins/container/asked.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"
#include "spank-plugins/container/notation.h"

namespace slipway::container {
namespace {

// Throws Error if the value is wrong.
void check_value(Field field, const std::string& value) {
  switch (field) {
    case Field::image:
      parse_image(value);
      break;
    case Field::mounts:
      parse_mounts(value);
      break;
    case Field::name:
      parse_name(value);
      break;
    case Field::environment:
      parse_variables(value);
      break;
    case Field::unshared:
      parse_unshared(value);
      break;
    case Field::save:
      parse_save(value);
      break;
    case Field::workdir:
      parse_workdir(value);
      break;
    default:
      parse_yes(value);
  }
}

void check_value(Field field, const std::string& value, const std::string& from) {
  try {
    check_value(field, value);
  } catch (const Error& error) {
    throw error.within(from);
  }
}

std::string twice(const std::string& first, const std::string& second) {
  if (first == second) return fmt::format("{} is given twice, with different values", first);
  return fmt::format("both {} and {} are given", first, second);
}

struct ListVariable {
  Field field;
  const char* name;  // begins with SLURM_, which --export=NONE keeps
};
constexpr ListVariable list_variables[] = {{Field::mounts, "SLURM_SPANK_CONTAINER_MOUNTS"},
                                           {Field::environment, "SLURM_SPANK_CONTAINER_ENV"},
                                           {Field::unshared, "SLURM_SPANK_CONTAINER_UNSHARE"}};

bool is_list(Field field) {
  return std::ranges::any_of(list_variables,
                             [&](const ListVariable& list) { return list.field == field; });
}

}  // namespace

void Asked::take(const OptionRow& option, const char* value, bool inherited) {
  const std::string from = std::string("--") + option.name;
  const std::string last = option.flag != nullptr ? option.flag : value == nullptr ? "" : value;
  check_value(option.field, last, from);
  std::string all = last;
  const auto old = taken_.find(option.field);
  if (old != taken_.end()) {
    inherited = false;  // given again, by srun itself
    if (!old->second.inherited && old->second.last != last) {
      if (!is_list(option.field)) throw Error(twice(old->second.from, from));
      all = old->second.value + "," + last;
    } else if (!old->second.inherited) {
      all = old->second.value;
    }
  }
  taken_[option.field] = {all, from, inherited, last};
}

std::vector<std::pair<const char*, std::optional<std::string>>> Asked::lists() const {
  std::vector<std::pair<const char*, std::optional<std::string>>> all;
  for (const ListVariable& list : list_variables) {
    const auto found = taken_.find(list.field);
    if (found == taken_.end() || found->second.inherited || found->second.last.empty()) continue;
    const Taken& taken = found->second;
    all.emplace_back(list.name,
                     taken.value == taken.last ? std::nullopt : std::optional(taken.value));
  }
  return all;
}

void Asked::take_lists(const Lookup& environment) {
  for (const ListVariable& list : list_variables) {
    const auto found = taken_.find(list.field);
    const auto whole = environment(list.name);
    if (found == taken_.end() || !whole || !whole->ends_with("," + found->second.value)) continue;
    check_value(list.field, *whole, list.name);
    found->second.value = *whole;
  }
}

void Asked::take_variables(const Lookup& environment) {
  for (const VariableRow& row : variable_rows()) {
    if (taken_.contains(row.field)) continue;
    const std::optional<std::string> found = environment(row.name);
    if (!found) continue;
    check_value(row.field, *found, row.name);
    std::string text = *found;
    if (is_flag(row.field)) text = parse_yes(text) != row.opposite ? "yes" : "no";
    taken_[row.field] = {std::move(text), row.name, false, ""};
  }
}

bool Asked::wants_container() const {
  return taken_.contains(Field::image) || taken_.contains(Field::name);
}

std::optional<std::string> Asked::value(Field field) const {
  const auto found = taken_.find(field);
  return found == taken_.end() ? std::nullopt : std::optional(found->second.value);
}

std::optional<bool> Asked::flag(Field field) const {
  const auto found = value(field);
  return found ? std::optional(parse_yes(*found)) : std::nullopt;
}

Request Asked::request() const {
  Request request;
  request.image = value(Field::image);
  request.workdir = value(Field::workdir);
  request.save = value(Field::save);
  if (const auto name = value(Field::name)) {
    Name parsed = parse_name(*name);
    request.name = std::move(parsed.name);
    request.reuse = parsed.reuse;
  }
  if (const auto text = value(Field::mounts)) request.mounts = parse_mounts(*text);
  if (const auto text = value(Field::environment)) request.environment = parse_variables(*text);
  if (const auto text = value(Field::unshared)) request.unshared = parse_unshared(*text);
  request.mount_home = flag(Field::mount_home);
  request.remap_root = flag(Field::remap_root);
  request.entrypoint = flag(Field::entrypoint);
  request.entrypoint_log = flag(Field::entrypoint_log);
  request.writable = flag(Field::writable);
  return request;
}

std::vector<std::string> Asked::without_effect(bool runs_entrypoint) const {
  std::vector<std::string> lines;
  if (!wants_container()) {
    for (const auto& [field, taken] : taken_) {
      lines.push_back(fmt::format(
          "ignoring {} because neither --container-image nor --container-name is set", taken.from));
    }
    return lines;
  }
  if (flag(Field::entrypoint_log).value_or(false) &&
      !flag(Field::entrypoint).value_or(runs_entrypoint)) {
    lines.push_back(
        fmt::format("ignoring {} because the entrypoint is not run: add --container-entrypoint",
                    taken_.at(Field::entrypoint_log).from));
  }
  return lines;
}

}  // namespace slipway::container
