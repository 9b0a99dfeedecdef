// Reading files of health policy.
#include "launcher/health/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::health {

using source::Entry;
using source::Node;

namespace {

constexpr double most = 1e9;

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

const std::vector<std::string> action_words = {"none",  "note",   "degrade",
                                               "drain", "reboot", "replace"};

const std::vector<std::string> all_keys = {
    "findings",   "limits",           "deadlines",     "disks",      "mounts", "daemons",
    "breaker",    "good_looks",       "jobs_may_skip", "preset",     "xids",   "kernel_log",
    "gpu_models", "recovery_actions", "presets",       "xid_sources"};

}  // namespace

void PolicyReader::wrong(source::Span span, std::string message, std::string help) {
  const auto code = is_first_ ? source::Code::bad_catalogue : source::Code::bad_health_policy;
  diagnostics_.error(code, span, std::move(message)).help(std::move(help));
}

void PolicyReader::unknown(source::Span span, std::string_view what, const std::string& typed,
                           const std::vector<std::string>& known) {
  wrong(span, fmt::format("there is no {} `{}`", what, typed), source::did_you_mean(typed, known));
}

bool PolicyReader::is_mapping(const Node& node, std::string_view what) {
  if (node.is_mapping()) return true;
  wrong(node.span, fmt::format("{} is {}, expected a mapping", what, describe(node)));
  return false;
}

std::optional<double> PolicyReader::number(const Node& node, std::string_view what) {
  if (node.is_scalar()) {
    const source::Scalar scalar = resolve(node);
    const auto* value = std::get_if<long double>(&scalar);
    if (value != nullptr && *value >= 0 && *value <= most) return static_cast<double>(*value);
  }
  wrong(node.span,
        fmt::format("{} is {}, expected a number from 0 up", what,
                    node.is_scalar() && !node.text.empty() ? fmt::format("`{}`", node.text)
                                                           : std::string(describe(node))));
  return std::nullopt;
}

std::optional<Action> PolicyReader::action(const Node& node) {
  if (node.is_scalar()) {
    if (const auto named = action_named(node.text)) return named;
  }
  unknown(node.span, "action", node.is_scalar() ? node.text : std::string(describe(node)),
          action_words);
  return std::nullopt;
}

std::vector<std::string> PolicyReader::texts(const Node& node, std::string_view what) {
  std::vector<std::string> texts;
  if (!node.is_sequence()) {
    wrong(node.span, fmt::format("{} is {}, expected a list", what, describe(node)));
  }
  for (const Node& item : node.items) {
    if (item.is_scalar() && !item.is_null()) {
      texts.push_back(item.text);
    } else {
      wrong(item.span, fmt::format("{} has {} in it, expected texts", what, describe(item)));
    }
  }
  return texts;
}

std::vector<std::string> PolicyReader::paths(const Node& node, std::string_view what) {
  std::vector<std::string> paths = texts(node, what);
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!paths[i].starts_with('/')) {
      wrong(node.items[i].span, fmt::format("`{}` is not an absolute path", paths[i]));
    }
  }
  return paths;
}

void PolicyReader::read_escalation(const Node& node, Escalation& escalation) {
  if (!is_mapping(node, "`after`")) return;
  for (const Entry& entry : node.entries) {
    if (entry.key == "times") {
      escalation.times = static_cast<int>(number(entry.value, "`times`").value_or(0));
    } else if (entry.key == "hours") {
      escalation.hours = number(entry.value, "`hours`").value_or(0);
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
      rule.about = entry.value.text;
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
    if (!is_first_ && !policy_.findings.contains(entry.key)) {
      unknown(entry.key_span, "finding", entry.key, keys_of(policy_.findings));
    } else {
      read_rule(entry.value, fmt::format("finding `{}`", entry.key), policy_.findings[entry.key]);
    }
  }
}

void PolicyReader::read_xid_row(const Node& node, XidRow& row) {
  for (const Entry& entry : node.entries) {
    if (entry.key == "name") {
      row.name = entry.value.text;
    } else if (entry.key == "action") {
      row.own = action(entry.value);
    } else if (entry.key == "after") {
      read_escalation(entry.value, row.escalation);
    } else if (!policy_.xid_sources.contains(entry.key)) {
      unknown(entry.key_span, "source of Xids", entry.key, keys_of(policy_.xid_sources));
    } else if (const auto& means = policy_.xid_sources.at(entry.key).means;
               !means.contains(entry.value.text)) {
      unknown(entry.value.span, fmt::format("word of source `{}`", entry.key), entry.value.text,
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
    if (xid <= 0) {
      wrong(entry.key_span, fmt::format("`{}` is no number of an Xid", entry.key));
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
  if (node.is_scalar() && (is_first_ || policy_.presets.contains(node.text))) {
    policy_.preset = node.text;
  } else {
    unknown(node.span, "preset", node.is_scalar() ? node.text : std::string(describe(node)),
            keys_of(policy_.presets));
  }
}

void PolicyReader::read_recovery_actions(const Node& node) {
  if (!is_mapping(node, "`recovery_actions`")) return;
  for (const Entry& entry : node.entries) {
    if (!is_first_ && !policy_.recovery_actions.contains(entry.key)) {
      unknown(entry.key_span, "recovery action", entry.key, keys_of(policy_.recovery_actions));
    } else if (const auto means = action(entry.value)) {
      policy_.recovery_actions[entry.key] = *means;
    }
  }
}

void PolicyReader::read_gpu_models(const Node& node) {
  if (!is_mapping(node, "`gpu_models`")) return;
  for (const Entry& entry : node.entries) {
    if (!is_mapping(entry.value, fmt::format("GPU model `{}`", entry.key))) continue;
    GpuModel& model = policy_.gpu_models[entry.key];
    for (const Entry& figure : entry.value.entries) {
      const auto whole = [&] {
        return static_cast<int>(number(figure.value, fmt::format("`{}`", figure.key)).value_or(0));
      };
      if (figure.key == "name") {
        model.name = figure.value.text;
      } else if (figure.key == "nvlinks") {
        model.nvlinks = whole();
      } else if (figure.key == "pcie_generation") {
        model.pcie_generation = whole();
      } else if (figure.key == "pcie_width") {
        model.pcie_width = whole();
      } else {
        unknown(figure.key_span, "key of a GPU model", figure.key,
                {"name", "nvlinks", "pcie_generation", "pcie_width"});
      }
    }
  }
}

void PolicyReader::read_kernel_log(const Node& node) {
  if (!node.is_sequence()) {
    return wrong(node.span, fmt::format("`kernel_log` is {}, expected a list", describe(node)));
  }
  for (const Node& item : node.items) {
    const Node* const begins = item.find("begins");
    const Node* const finding = item.find("finding");
    if (begins == nullptr || finding == nullptr || begins->text.empty()) {
      wrong(item.span, "a pattern needs `begins` and `finding`");
    } else if (!policy_.findings.contains(finding->text)) {
      unknown(finding->span, "finding", finding->text, keys_of(policy_.findings));
    } else {
      policy_.kernel_log.push_back({begins->text, finding->text});
    }
  }
}

void PolicyReader::read_breaker(const Node& node) {
  if (!is_mapping(node, "`breaker`")) return;
  for (const Entry& entry : node.entries) {
    const double value = number(entry.value, fmt::format("`{}`", entry.key)).value_or(0);
    if (entry.key == "nodes") {
      policy_.breaker.nodes = static_cast<int>(value);
    } else if (entry.key == "share" && value <= 1) {
      policy_.breaker.share = value;
    } else if (entry.key == "share") {
      wrong(entry.value.span, "`share` is a part of a partition, from 0 to 1");
    } else if (entry.key == "minutes") {
      policy_.breaker.minutes = value;
    } else {
      unknown(entry.key_span, "key of `breaker`", entry.key, {"nodes", "share", "minutes"});
    }
  }
}

void PolicyReader::read_numbers(const Node& node, std::string_view what,
                                std::map<std::string, double>& into) {
  if (!is_mapping(node, fmt::format("`{}s`", what))) return;
  for (const Entry& entry : node.entries) {
    if (!is_first_ && !into.contains(entry.key)) {
      unknown(entry.key_span, what, entry.key, keys_of(into));
    } else if (const auto value = number(entry.value, fmt::format("`{}`", entry.key))) {
      into[entry.key] = *value;
    }
  }
}

void PolicyReader::read_key(const Entry& entry) {
  const Node& value = entry.value;
  if (entry.key == "findings") return read_findings(value);
  if (entry.key == "limits") return read_numbers(value, "limit", policy_.limits);
  if (entry.key == "deadlines") return read_numbers(value, "deadline", policy_.deadlines);
  if (entry.key == "breaker") return read_breaker(value);
  if (entry.key == "preset") return read_preset(value);
  if (entry.key == "xids") return read_xids(value);
  if (entry.key == "kernel_log") return read_kernel_log(value);
  if (entry.key == "gpu_models") return read_gpu_models(value);
  if (entry.key == "recovery_actions") return read_recovery_actions(value);
  if (entry.key == "disks") {
    policy_.disks = paths(value, "`disks`");
  } else if (entry.key == "mounts") {
    policy_.mounts = paths(value, "`mounts`");
  } else if (entry.key == "daemons") {
    policy_.daemons = texts(value, "`daemons`");
  } else if (entry.key == "good_looks") {
    policy_.good_looks = static_cast<int>(number(value, "`good_looks`").value_or(0));
  } else if (entry.key == "jobs_may_skip") {
    const source::Scalar scalar = value.is_scalar() ? resolve(value) : source::Scalar();
    const bool* const is = std::get_if<bool>(&scalar);
    if (is == nullptr) return wrong(value.span, "`jobs_may_skip` is `true` or `false`");
    policy_.jobs_may_skip = *is;
  } else if (is_first_ && entry.key == "xid_sources") {
    read_xid_sources(value);
  } else if (is_first_ && entry.key == "presets") {
    read_presets(value);
  } else {
    unknown(entry.key_span, "key of a health policy", entry.key, all_keys);
  }
}

void PolicyReader::read(const Node& root) {
  if (root.is_null()) return;  // a file of comments
  if (!is_mapping(root, "a health policy")) return;
  for (const Entry& entry : root.entries) read_key(entry);
}

}  // namespace slipway::health
