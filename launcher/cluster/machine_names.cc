// Works out machine types from their names.
#include "launcher/cluster/machine_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/text.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::cluster {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr int64_t gib_in_mib = 1024;

// "c4d" is the generation 4 of the family "c".
struct Generation {
  std::string family;
  int64_t number = 0;  // 0: the name does not begin with a series
};

Generation generation_of(std::string_view name) {
  const std::string_view series = name.substr(0, name.find('-'));
  const size_t first = series.find_first_of(digits);
  if (first == 0 || first == series.npos) return {};
  const size_t end = std::min(series.find_first_not_of(digits, first), series.size());
  return {std::string(series.substr(0, first)),
          positive_number(std::string(series.substr(first, end - first)))};
}

// Whether the name's series is one of the next generations of a listed family.
bool newer_generation(const MachineTable& table, std::string_view name) {
  constexpr int64_t generations_ahead = 3;
  const Generation its = generation_of(name);
  int64_t newest = 0;
  for (const auto& [listed, type] : table.rows) {
    const Generation other = generation_of(listed);
    if (other.family == its.family) newest = std::max(newest, other.number);
  }
  return newest > 0 && its.number > newest && its.number <= newest + generations_ahead;
}

bool one_slip_away(const MachineTable& table, std::string_view name) {
  const auto near = [&](std::string_view listed) {
    const auto [shorter, longer] = std::minmax({listed.size(), name.size()});
    return longer - shorter <= 1 && edit_distance(listed, name) <= 1;
  };
  const auto near_row = [&](const auto& row) { return near(row.first); };
  if (std::ranges::any_of(table.rows, near_row)) return true;
  const std::vector<std::string> parts = split(name, '-');
  if (parts.size() < 4) return false;
  const std::string kind = parts[0] + "-" + parts[1];
  return std::ranges::any_of(table.custom, [&](const CustomMachines& custom) {
    return std::ranges::any_of(
        custom.names, [&](const std::string& listed) { return edit_distance(listed, kind) <= 1; });
  });
}

bool named_like_a_machine_type(const std::vector<std::string>& parts) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789";
  return parts.size() >= 2 && std::ranges::all_of(parts, [&](const std::string& part) {
           return !part.empty() && part.find_first_not_of(allowed) == part.npos;
         });
}

// "n2-standard": listed types of the class have a size.
bool lacks_size(const MachineTable& table, const std::vector<std::string>& parts) {
  return parts.size() == 2 && std::ranges::any_of(table.rows, [&](const auto& row) {
           const std::vector<std::string> listed = split(row.first, '-');
           return listed.size() > 2 && listed[1] == parts[1];
         });
}

// MiB for each vCPU that every listed type of a class has, "standard" for one.
int64_t least_mib_per_vcpu(const MachineTable& table, const std::string& kind) {
  int64_t least = 0;
  for (const auto& [name, type] : table.rows) {
    const std::vector<std::string> parts = split(name, '-');
    if (parts.size() < 3 || parts[1] != kind) continue;
    const int64_t mib = type.memory_mib / type.cpus();
    least = least == 0 ? mib : std::min(least, mib);
  }
  return least == 0 ? gib_in_mib : least;
}

std::string limits_problem(const CustomMachines& custom, int64_t vcpus, int64_t mib,
                           bool extended) {
  if (vcpus < custom.least_vcpus || vcpus > custom.most_vcpus) {
    return fmt::format("it can have {} to {} vCPUs, not {}", custom.least_vcpus, custom.most_vcpus,
                       vcpus);
  }
  // The row of the largest number below this one.
  const auto row = custom.multiples.lower_bound(vcpus);
  const int64_t multiple = row == custom.multiples.begin() ? 1 : std::prev(row)->second;
  if (vcpus % multiple != 0) {
    return fmt::format("it can have {} or {} vCPUs, not {}", vcpus / multiple * multiple,
                       (vcpus / multiple + 1) * multiple, vcpus);
  }
  constexpr int64_t step_mib = 256;
  if (mib % step_mib != 0) {
    return fmt::format("its memory must be a multiple of {} MiB, not {}", step_mib, mib);
  }
  const auto least = std::ceil(custom.least_gib_per_vcpu * gib_in_mib * vcpus);
  const auto most = std::floor(custom.most_gib_per_vcpu * gib_in_mib * vcpus);
  if (mib < least || (mib > most && !extended)) {
    return fmt::format("with {} vCPUs its memory can be {} to {} MiB, not {}{}", vcpus, least, most,
                       mib, mib > most ? "; a name that ends in `-ext` may have more" : "");
  }
  return "";
}

}  // namespace

std::optional<MachineType> with_vcpus(const MachineSeries& series, int64_t vcpus) {
  MachineType type = series.shared;
  const bool two = series.two_sockets_above > 0 && vcpus > series.two_sockets_above;
  type.sockets = two ? 2 : 1;
  type.threads_per_core = vcpus == 1 ? 1 : series.threads_per_core;
  type.cores_per_socket = vcpus / type.sockets / type.threads_per_core;
  if (type.cpus() != vcpus) return std::nullopt;
  return type;
}

std::optional<MachineType> custom_machine(const MachineTable& table, std::string_view name,
                                          std::string& why) {
  why.clear();
  std::vector<std::string> parts = split(name, '-');
  const bool extended = name.ends_with("-ext");
  if (extended) parts.pop_back();
  if (parts.size() < 3) return std::nullopt;
  const int64_t mib = positive_number(parts[parts.size() - 1]);
  const int64_t vcpus = positive_number(parts[parts.size() - 2]);
  const std::string kind = parts.size() == 3 ? parts[0] : parts[0] + "-" + parts[1];
  const auto custom = std::ranges::find_if(
      table.custom, [&](const CustomMachines& row) { return row.names.contains(kind); });
  if (custom == table.custom.end() || parts.size() > 4) return std::nullopt;
  std::optional<MachineType> type;
  if (vcpus == 0 || mib == 0) {
    why = fmt::format("its name must be {}-<vCPUs>-<MiB>", kind);
  } else {
    why = limits_problem(*custom, vcpus, mib, extended);
    if (why.empty()) type = with_vcpus(custom->series, vcpus);
    if (why.empty() && !type) why = fmt::format("{} vCPUs are not whole cores", vcpus);
  }
  if (!type) return std::nullopt;
  type->name = name;
  type->memory_mib = mib;
  return type;
}

std::optional<MachineType> unlisted_machine(const MachineTable& table, std::string_view name) {
  const std::vector<std::string> parts = split(name, '-');
  if (!table.unlisted || !named_like_a_machine_type(parts)) return std::nullopt;
  if (generation_of(name).number == 0 || lacks_size(table, parts)) return std::nullopt;
  if (one_slip_away(table, name) && !newer_generation(table, name)) return std::nullopt;
  const int64_t vcpus = parts.size() >= 3 ? std::max<int64_t>(1, positive_number(parts[2])) : 1;
  std::optional<MachineType> type = with_vcpus(*table.unlisted, vcpus);
  if (!type) {  // a number that does not divide into such cores: each is a core with one thread
    MachineSeries plain = *table.unlisted;
    plain.threads_per_core = 1;
    plain.two_sockets_above = 0;
    type = with_vcpus(plain, vcpus);
  }
  if (!type) return std::nullopt;
  type->name = name;
  type->memory_mib = vcpus * least_mib_per_vcpu(table, parts[1]);
  type->assumed = true;
  return type;
}

}  // namespace slipway::cluster
