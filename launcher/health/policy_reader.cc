// Reads health policy files.
#include "launcher/health/policy_reader.h"

#include <fmt/core.h>

#include "common/text.h"
#include "launcher/health/gpus.h"

namespace slipway::health {

using source::Entry;
using source::Node;

namespace {

constexpr int most_xid = 9999, most_times = 1000, most_nodes = 1'000'000;
constexpr double a_week_of_minutes = 7 * 24 * 60, a_year_of_hours = 365 * 24;

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

const std::vector<std::string> all_keys = {
    "findings",   "limits",           "deadlines",     "disks",  "mounts",     "daemons",
    "breaker",    "clean_checks",     "jobs_may_skip", "preset", "xids",       "kernel_log",
    "gpu_models", "recovery_actions", "user_folders",  "tell",   "deep_checks"};

}  // namespace

void PolicyReader::read_escalation(const Node& node, Escalation& escalation) {
  if (!is_mapping(node, "`after`")) return;
  for (const Entry& entry : node.entries) {
    if (entry.key == "times") {
      escalation.times = whole(entry.value, "`times`", 1, most_times).value_or(0);
    } else if (entry.key == "hours") {
      escalation.hours =
          number(entry.value, "`hours`", {0.01, a_year_of_hours, false, ""}).value_or(0);
    } else if (entry.key == "action") {
      escalation.action = action(entry.value).value_or(Action::none);
    } else {
      unknown(entry.key_span, "key of `after`", entry.key, {"times", "hours", "action"});
    }
  }
  if (node.find("times") == nullptr || node.find("hours") == nullptr ||
      node.find("action") == nullptr) {
    wrong(node.span, "`after` needs `times`, `hours` and `action`");
  }
}

void PolicyReader::read_rule(const Node& node, std::string_view what, Rule& rule) {
  if (node.is_scalar()) {  // `gpu-hot: note`
    rule.action = action(node).value_or(rule.action);
    rule.escalation = {};
    return;
  }
  if (!is_mapping(node, what)) return;
  for (const Entry& entry : node.entries) {
    if (entry.key == "action") {
      rule.action = action(entry.value).value_or(rule.action);
    } else if (entry.key == "about") {
      rule.about = text(entry.value, "`about`").value_or("");
    } else if (entry.key == "after") {
      read_escalation(entry.value, rule.escalation);
    } else {
      unknown(entry.key_span, fmt::format("key of {}", what), entry.key,
              {"action", "after", "about"});
    }
  }
}

void PolicyReader::read_findings(const Node& node) {
  if (!is_mapping(node, "`findings`")) return;
  for (const Entry& entry : node.entries) {
    if (!is_first() && !policy_.findings.contains(entry.key)) {
      unknown(entry.key_span, "finding", entry.key, keys_of(policy_.findings));
    } else {
      read_rule(entry.value, fmt::format("finding `{}`", entry.key), policy_.findings[entry.key]);
    }
  }
}

void PolicyReader::read_xid_row(const Node& node, XidRow& row) {
  for (const Entry& entry : node.entries) {
    if (entry.key == "name") {
      row.name = text(entry.value, "`name`").value_or("");
    } else if (entry.key == "action") {
      row.own = action(entry.value);
    } else if (entry.key == "after") {
      read_escalation(entry.value, row.escalation);
    } else if (!policy_.xid_sources.contains(entry.key)) {
      unknown(entry.key_span, "source of Xids", entry.key, keys_of(policy_.xid_sources));
    } else if (const auto& means = policy_.xid_sources.at(entry.key).means;
               !means.contains(entry.value.text)) {
      unknown(entry.value.span, fmt::format("action of source `{}`", entry.key), entry.value.text,
              keys_of(means));
    } else {
      row.says[entry.key] = entry.value.text;
    }
  }
}

void PolicyReader::read_xids(const Node& node) {
  if (!is_mapping(node, "`xids`")) return;
  for (const Entry& entry : node.entries) {
    const int xid = to_number<int>(entry.key).value_or(0);
    // 079 would be another key for Xid 79.
    if (xid < 1 || xid > most_xid || std::to_string(xid) != entry.key) {
      wrong(entry.key_span, fmt::format("`{}` is not the number of an Xid", entry.key),
            fmt::format("Xids are whole numbers from 1 to {}", most_xid));
      continue;
    }
    XidRow& row = policy_.xids[xid];
    if (entry.value.is_scalar()) {  // `63: note`
      row.own = action(entry.value);
      row.escalation = {};
    } else if (is_mapping(entry.value, fmt::format("Xid {}", xid))) {
      read_xid_row(entry.value, row);
    }
  }
}

void PolicyReader::read_xid_sources(const Node& node) {
  if (!is_mapping(node, "`xid_sources`")) return;
  for (const Entry& entry : node.entries) {
    XidSource& source = policy_.xid_sources[entry.key];
    if (const Node* title = entry.value.find("title")) source.title = title->text;
    const Node* const means = entry.value.find("means");
    if (means == nullptr || !is_mapping(*means, "`means`")) continue;
    for (const Entry& word : means->entries) {
      source.means[word.key] = action(word.value).value_or(Action::note);
    }
  }
}

void PolicyReader::read_presets(const Node& node) {
  if (!is_mapping(node, "`presets`")) return;
  for (const Entry& entry : node.entries) {
    const std::vector<std::string> sources = texts(entry.value, "a preset");
    for (size_t i = 0; i < sources.size(); ++i) {
      if (policy_.xid_sources.contains(sources[i])) continue;
      unknown(entry.value.items[i].span, "source of Xids", sources[i],
              keys_of(policy_.xid_sources));
      return;
    }
    policy_.presets[entry.key] = sources;
  }
}

void PolicyReader::read_preset(const Node& node) {
  if (node.is_scalar() && (is_first() || policy_.presets.contains(node.text))) {
    policy_.preset = node.text;
  } else {
    unknown(node.span, "preset", node.is_scalar() ? node.text : std::string(describe(node)),
            keys_of(policy_.presets));
  }
}

void PolicyReader::read_recovery_actions(const Node& node) {
  if (!is_mapping(node, "`recovery_actions`")) return;
  for (const Entry& entry : node.entries) {
    if (!is_first() && !policy_.recovery_actions.contains(entry.key)) {
      unknown(entry.key_span, "recovery action", entry.key, keys_of(policy_.recovery_actions));
    } else if (const auto means = action(entry.value)) {
      policy_.recovery_actions[entry.key] = *means;
    }
  }
}

// Ten times what GPUs' memories reach today.
constexpr int most_gb_per_s = 100'000;

void PolicyReader::read_gpu_model(const Node& node, const std::string& name, GpuModel& model) {
  if (!is_mapping(node, fmt::format("GPU model `{}`", name))) return;
  for (const Entry& figure : node.entries) {
    const auto up_to = [&](int most) {
      return whole(figure.value, fmt::format("`{}`", figure.key), 0, most).value_or(0);
    };
    if (figure.key == "name") {
      model.name = to_lower(text(figure.value, "`name`").value_or(""));
    } else if (figure.key == "nvlinks") {
      model.nvlinks = up_to(most_nvlinks);
    } else if (figure.key == "pcie_generation") {
      model.pcie_generation = up_to(9);
    } else if (figure.key == "pcie_width") {
      model.pcie_width = up_to(32);
    } else if (figure.key == "memory_gb_per_s") {
      model.memory_gb_per_s = up_to(most_gb_per_s);
    } else if (figure.key == "host_gb_per_s") {
      model.host_gb_per_s = up_to(most_gb_per_s);
    } else {
      unknown(
          figure.key_span, "key of a GPU model", figure.key,
          {"name", "nvlinks", "pcie_generation", "pcie_width", "memory_gb_per_s", "host_gb_per_s"});
    }
  }
  if (model.name.empty() && node.find("name") == nullptr) {
    wrong(node.span, fmt::format("GPU model `{}` needs `name`", name),
          "part of the name that `nvidia-smi` shows");
  }
}

void PolicyReader::read_gpu_models(const Node& node) {
  if (!is_mapping(node, "`gpu_models`")) return;
  for (const Entry& entry : node.entries) {
    read_gpu_model(entry.value, entry.key, policy_.gpu_models[entry.key]);
  }
}

std::vector<std::string> PolicyReader::keys_of_findings() const {
  return keys_of(policy_.findings);
}

void PolicyReader::read_breaker(const Node& node) {
  if (!is_mapping(node, "`breaker`")) return;
  Breaker& breaker = policy_.breaker;
  for (const Entry& entry : node.entries) {
    if (entry.key == "nodes") {
      breaker.nodes = whole(entry.value, "`nodes`", 1, most_nodes).value_or(breaker.nodes);
    } else if (entry.key == "share") {
      constexpr NumberRange part{0, 1, false, "a fraction of the partition: 0.1 is a tenth"};
      breaker.share = number(entry.value, "`share`", part).value_or(breaker.share);
    } else if (entry.key == "minutes") {
      constexpr NumberRange window{1, a_week_of_minutes, false, ""};
      breaker.minutes = number(entry.value, "`minutes`", window).value_or(breaker.minutes);
    } else {
      unknown(entry.key_span, "key of `breaker`", entry.key, {"nodes", "share", "minutes"});
    }
  }
}

void PolicyReader::read_numbers(const Node& node, std::string_view what, RangeOf range_of,
                                std::map<std::string, double>& into) {
  if (!is_mapping(node, fmt::format("`{}s`", what))) return;
  for (const Entry& entry : node.entries) {
    const auto range = range_of(entry.key);
    if (!range || (!is_first() && !into.contains(entry.key))) {
      unknown(entry.key_span, what, entry.key, keys_of(into));
    } else if (const auto value = number(entry.value, fmt::format("`{}`", entry.key), *range)) {
      into[entry.key] = *value;
    }
  }
}

void PolicyReader::read_key(const Entry& entry) {
  const Node& value = entry.value;
  if (entry.key == "findings") return read_findings(value);
  if (entry.key == "limits") return read_numbers(value, "limit", range_of_limit, policy_.limits);
  if (entry.key == "deadlines") {
    return read_numbers(value, "deadline", range_of_deadline, policy_.deadlines);
  }
  if (entry.key == "breaker") return read_breaker(value);
  if (entry.key == "tell") return read_tell(value);
  if (entry.key == "deep_checks") return read_deep_checks(value);
  if (entry.key == "preset") return read_preset(value);
  if (entry.key == "xids") return read_xids(value);
  if (entry.key == "kernel_log") return read_kernel_log(value);
  if (entry.key == "gpu_models") return read_gpu_models(value);
  if (entry.key == "recovery_actions") return read_recovery_actions(value);
  if (entry.key == "disks") {
    policy_.disks = paths(value, "`disks`");
  } else if (entry.key == "user_folders") {
    policy_.user_folders = paths(value, "`user_folders`");
  } else if (entry.key == "mounts") {
    policy_.mounts = paths(value, "`mounts`");
  } else if (entry.key == "daemons") {
    policy_.daemons = daemons(value);
  } else if (entry.key == "clean_checks") {
    policy_.clean_checks = whole(value, "`clean_checks`", 1, most_times).value_or(1);
  } else if (entry.key == "jobs_may_skip") {
    const source::Scalar scalar = value.is_scalar() ? resolve(value) : source::Scalar();
    const bool* const is = std::get_if<bool>(&scalar);
    if (is == nullptr) return wrong(value.span, "`jobs_may_skip` must be `true` or `false`");
    policy_.jobs_may_skip = *is;
  } else if (is_first() && entry.key == "xid_sources") {
    read_xid_sources(value);
  } else if (is_first() && entry.key == "presets") {
    read_presets(value);
  } else if (is_first() && entry.key == "program_records") {
    read_program_records(value);
  } else {
    unknown(entry.key_span, "key of a health policy", entry.key, all_keys);
  }
}

void PolicyReader::read(const Node& root) {
  if (root.is_null()) return;  // only comments
  if (!is_mapping(root, "a health policy")) return;
  for (const Entry& entry : root.entries) read_key(entry);
}

}  // namespace slipway::health
