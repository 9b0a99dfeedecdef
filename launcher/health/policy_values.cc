// Reads and validates the values in a health policy.
#include "launcher/health/policy_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "common/text.h"

namespace slipway::health {

using source::Node;
namespace fs = std::filesystem;

namespace {

constexpr double most_of_a_count = 1e9;

const std::vector<std::string> action_words = {"none",  "note",   "degrade",
                                               "drain", "reboot", "replace"};

constexpr NumberRange count{0, most_of_a_count, true, ""};
constexpr NumberRange speed{0, 1e6, false, "0: accept any speed"};
constexpr NumberRange speed_of_model{0, 1e6, false, "0: what the GPU's model reaches"};

const std::map<std::string, NumberRange, std::less<>> ranges_of_limits = {
    {"driver_major", {0, 9999, true, "the first part of a version, such as 570; 0: accept any"}},
    {"gpu_celsius", {40, 120, false, "idle GPUs are above 30 °C"}},
    {"gpu_ecc_corrected", count},
    {"gpu_pages_retired", count},
    {"gpu_pcie_replays", count},
    {"gpu_nic_mbit", {0, 1e8, true, "0: accept any speed"}},
    {"host_nic_mbit", {0, 1e8, true, "0: accept any speed"}},
    {"nic_errors", count},
    {"nic_carrier_losses", count},
    {"rdma_ports", {0, 1024, true, "0: accept any number"}},
    {"rdma_errors", count},
    {"disk_free_mib",
     {0, 1e6, false, "what a job needs to start; a disk with less counts as full"}},
    {"disk_free_percent", {0, 50, false, "a disk with less free than this counts as full"}},
    {"disk_free_inodes", count},
    {"memory_lost_percent", {0.1, 50, false, "memory size varies slightly from boot to boot"}},
    {"memory_free_percent", {0, 50, false, "memory used for file caches counts as free"}},
    {"memory_ecc_corrected", count},
    {"huge_pages_2mib", {0, 1e8, true, "0: accept any number"}},
    {"clock_offset_ms", {1, 1e6, false, ""}},
    {"gpu_memory_gb_per_s", speed_of_model},
    {"gpu_host_gb_per_s", speed_of_model},
    {"gpu_speed_tolerance_percent",
     {0, 90, false, "how far a GPU's speed may be below the one of its model"}},
    {"collective_gb_per_s", speed},
};

// Prolog and epilog: node_health waits for 15 s (spank-plugins/node_health/settings.h), and what
// the checks leave of that is for updating Slurm. Periodic: HealthCheckProgram in slurm.conf(5).
const std::map<std::string, NumberRange, std::less<>> ranges_of_deadlines = {
    {"prolog", {1, 12, false, "the node_health plugin waits 15 s in total"}},
    {"epilog", {1, 12, false, "the node_health plugin waits 15 s in total"}},
    {"periodic", {1, 50, false, "Slurm ends these checks after 60 s"}},
    {"manual", {1, 3600, false, ""}},
    {"deep", {10, 86400, false, ""}},
};

std::optional<NumberRange> find(const std::map<std::string, NumberRange, std::less<>>& ranges,
                                std::string_view name) {
  const auto found = ranges.find(name);
  return found == ranges.end() ? std::nullopt : std::optional(found->second);
}

// The value, as shown in messages.
std::string words_of(const Node& node) {
  return node.is_scalar() && !node.text.empty() ? fmt::format("`{}`", node.text)
                                                : std::string(describe(node));
}

// A path as the kernel writes it: `/home` for `/home/`.
std::string kernels_path(const std::string& text) {
  return without_end_slash("/" + fs::path(text).lexically_normal().relative_path().string());
}

}  // namespace

std::optional<NumberRange> range_of_limit(std::string_view name) {
  return find(ranges_of_limits, name);
}

std::optional<NumberRange> range_of_deadline(std::string_view stage) {
  return find(ranges_of_deadlines, stage);
}

void PolicyValues::wrong(source::Span span, std::string message, std::string help) {
  const auto code = is_first_ ? source::Code::bad_catalogue : source::Code::bad_health_policy;
  diagnostics_.error(code, span, std::move(message)).help(std::move(help));
}

void PolicyValues::unknown(source::Span span, std::string_view what, const std::string& typed,
                           const std::vector<std::string>& known) {
  wrong(span, fmt::format("there is no {} `{}`", what, typed), source::did_you_mean(typed, known));
}

bool PolicyValues::is_mapping(const Node& node, std::string_view what) {
  if (node.is_mapping()) return true;
  wrong(node.span, fmt::format("{} is {}, expected a mapping", what, describe(node)));
  return false;
}

std::optional<double> PolicyValues::number(const Node& node, std::string_view what,
                                           const NumberRange& range) {
  if (node.is_scalar()) {
    const source::Scalar scalar = resolve(node);
    const auto* precise = std::get_if<long double>(&scalar);
    // As a double like the range, or 0.1 would be below 0.1.
    const double value = precise == nullptr ? NAN : static_cast<double>(*precise);
    // Written so that NaN is outside the range.
    if (value >= range.least && value <= range.most &&
        (!range.whole || value == std::floor(value))) {
      return value;
    }
  }
  wrong(node.span,
        fmt::format("{} is {}, expected a {}number from {:.10g} to {:.10g}", what, words_of(node),
                    range.whole ? "whole " : "", range.least, range.most),
        range.why);
  return std::nullopt;
}

std::optional<int> PolicyValues::whole(const Node& node, std::string_view what, int least,
                                       int most) {
  const auto value = number(
      node, what, {static_cast<double>(least), static_cast<double>(most), /*whole=*/true, ""});
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<Action> PolicyValues::action(const Node& node) {
  if (node.is_scalar()) {
    if (const auto named = action_named(node.text)) return named;
  }
  unknown(node.span, "action", node.is_scalar() ? node.text : std::string(describe(node)),
          action_words);
  return std::nullopt;
}

std::optional<std::string> PolicyValues::text(const Node& node, std::string_view what) {
  if (node.is_scalar() && !node.is_null() && !trim(node.text).empty()) return node.text;
  wrong(node.span, fmt::format("{} is {}, expected a string", what, words_of(node)));
  return std::nullopt;
}

std::vector<std::string> PolicyValues::list(const Node& node, std::string_view what,
                                            std::string (*as_meant)(const std::string&)) {
  std::vector<std::string> texts;
  if (!node.is_sequence()) {
    wrong(node.span, fmt::format("{} is {}, expected a list", what, describe(node)));
  }
  for (const Node& item : node.items) {
    const auto one = text(item, fmt::format("an entry of {}", what));
    if (!one) continue;
    std::string meant = as_meant(*one);
    if (std::ranges::count(texts, meant) != 0) {
      wrong(item.span, fmt::format("{} has `{}` twice", what, meant));
    } else {
      texts.push_back(std::move(meant));
    }
  }
  return texts;
}

std::vector<std::string> PolicyValues::texts(const Node& node, std::string_view what) {
  return list(node, what, [](const std::string& text) { return text; });
}

std::vector<std::string> PolicyValues::daemons(const Node& node) {
  const std::vector<std::string> names = texts(node, "`daemons`");
  for (const Node& item : node.items) {
    if (item.text.find_first_of("/ \t\n") == item.text.npos) continue;
    wrong(item.span, fmt::format("`{}` is not the name of a process", item.text),
          "as in `ps -e -o comm`: no path, no arguments");
  }
  return names;
}

std::vector<std::string> PolicyValues::paths(const Node& node, std::string_view what) {
  const std::vector<std::string> paths = list(node, what, kernels_path);
  for (const Node& item : node.items) {
    if (!item.is_scalar() || item.is_null() || item.text.empty()) continue;
    const fs::path parts(item.text);
    if (!item.text.starts_with('/') || item.text.find('\0') != item.text.npos) {
      wrong(item.span, fmt::format("`{}` is not an absolute path", item.text));
    } else if (std::ranges::find(parts, fs::path("..")) != parts.end()) {
      wrong(item.span, fmt::format("`{}` has `..` in it", item.text),
            fmt::format("did you mean `{}`?", kernels_path(item.text)));
    }
  }
  return paths;
}

}  // namespace slipway::health
