// Translates an nhc.conf, line by line.
#include "launcher/hosts/nhc.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "common/text.h"
#include "launcher/hosts/nhc_file.h"
#include "launcher/source/yaml_scalar.h"

namespace slipway::hosts {
namespace {

constexpr std::string_view counted_ports = "rdma_ports";  // the limit that counts lines

// A check's words: the values of its options, and the rest.
struct CheckWords {
  std::map<std::string, std::vector<std::string>> options;  // by letter
  std::vector<std::string> rest;
  std::string unknown;  // an option that the check does not have
};

CheckWords sort_words(const NhcCheck& check, const std::vector<std::string>& words) {
  CheckWords sorted;
  bool options = !check.options.empty();
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!options || word.size() < 2 || word[0] != '-' || word == "--") {
      options = false;
      if (word != "--") sorted.rest.push_back(word);
      continue;
    }
    for (size_t at = 1; at < word.size(); ++at) {
      const std::string letter(1, word[at]);
      const size_t place = check.options.find(letter);
      if (place == check.options.npos || letter == ":") {
        sorted.unknown = "-" + letter;
        return sorted;
      }
      const bool takes_value = check.options.substr(place + 1, 1) == ":";
      std::string value;
      if (takes_value) {
        value = word.substr(at + 1);
        if (value.empty() && i + 1 < words.size()) value = words[++i];
      }
      sorted.options[letter].push_back(value);
      if (takes_value) break;
    }
  }
  return sorted;
}

// What the row's `entry` finds in the words; `rest` keeps the others.
std::vector<std::string> entries_in(const NhcCheck& check, CheckWords& words) {
  std::vector<std::string> entries;
  for (const std::string& place : check.entry) {
    if (const auto found = words.options.find(place); found != words.options.end()) {
      entries.insert(entries.end(), found->second.begin(), found->second.end());
    } else if (place == "first" && entries.empty() && !words.rest.empty()) {
      entries.push_back(words.rest.front());
      words.rest.erase(words.rest.begin());
    }
  }
  return entries;
}

// What is wrong with an entry; empty if nothing is. Changes it to what a policy has.
std::string make_entry(const std::string& key, std::string& entry) {
  if (entry.empty()) return "it names nothing";
  if (entry.find_first_of("*?[") != entry.npos) return "a pattern: write what it means";
  if (key == "daemons") {
    entry = std::filesystem::path(entry).filename();
    if (entry.empty() || entry.find_first_of(" \t") != entry.npos) return "no name of a process";
    return {};
  }
  if (!entry.starts_with('/')) return "not an absolute path";
  entry = without_end_slash(std::filesystem::path(entry).lexically_normal());
  return {};
}

std::string lost_of(const NhcCheck& check, const CheckWords& words) {
  std::vector<std::string> lost;
  const auto add = [&](const std::string& text) {
    if (std::ranges::find(lost, text) == lost.end()) lost.push_back(text);
  };
  for (const auto& [key, text] : check.lost) {
    if (key == "words" ? !words.rest.empty() : words.options.contains(key)) add(text);
  }
  return join(lost, ", ");
}

bool is_setting(const std::string& word) {
  const size_t equals = word.find('=');
  return equals != word.npos && equals > 0 &&
         word.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == equals;
}

class NhcTranslator {
 public:
  NhcTranslator(const NhcTable& table, const std::string& node) : table_(table), node_(node) {}

  void take(const NhcLine& line) {
    NhcAnswer answer{line.number, line.check, NhcFate::uncovered, {}};
    judge(line, answer);
    translation.answers.push_back(std::move(answer));
  }

  NhcTranslation translation;

 private:
  void judge(const NhcLine& line, NhcAnswer& answer) {
    if (line.check.empty()) {
      answer.check = line.target;
      answer.text = "it has no `||`, so NHC does nothing with it";
      return;
    }
    const NhcMatch match = matches_nhc(node_, line.target);
    if (match == NhcMatch::unknown) {
      answer.text =
          fmt::format("its target `{}` is not a glob, a /pattern/ or a {{range}}", line.target);
    } else if (match == NhcMatch::no) {
      answer.fate = NhcFate::other_node;
      answer.text = fmt::format("for nodes that match `{}`", line.target);
    } else if (line.words.empty()) {
      answer.text = "it names no check";
    } else if (line.words[0] == "export" || is_setting(line.words[0])) {
      read_settings(line, answer);
    } else if (line.is_compound) {
      answer.text = "a shell command of several parts, and no program of a site is run";
    } else {
      read_check(line, answer);
    }
  }

  void read_settings(const NhcLine& line, NhcAnswer& answer) const {
    answer.fate = NhcFate::setting;
    std::vector<std::string> texts;
    for (const std::string& word : line.words) {
      const auto known = table_.settings.find(word.substr(0, word.find('=')));
      if (known != table_.settings.end()) texts.push_back(known->second);
    }
    answer.text = texts.empty() ? "NHC's own" : join(texts, "; ");
  }

  void read_check(const NhcLine& line, NhcAnswer& answer) {
    const auto row = table_.checks.find(line.words[0]);
    if (row == table_.checks.end()) {
      answer.text = "a check of your site, or of a newer NHC";
      return;
    }
    const NhcCheck& check = row->second;
    CheckWords words = sort_words(check, line.words);
    if (!check.without.empty()) {
      answer.text = check.without;
    } else if (!words.unknown.empty()) {
      answer.text = fmt::format("the option {} is not known", words.unknown);
    } else if (const std::string wrong = add_entries(line, check, words); !wrong.empty()) {
      answer.text = wrong;
    } else {
      const std::string lost = lost_of(check, words);
      answer.fate = lost.empty() ? NhcFate::checked : NhcFate::in_part;
      answer.text = fmt::format("{}{}{}", check.becomes.empty() ? "" : "`" + check.becomes + "`: ",
                                join(check.findings, ", "), lost.empty() ? "" : "; not " + lost);
    }
  }

  // Why the line cannot become a part of the policy; empty if it has.
  std::string add_entries(const NhcLine& line, const NhcCheck& check, CheckWords& words) {
    if (check.becomes.empty()) return {};
    for (const std::string& option : check.opposite) {
      if (words.options.contains(option)) {
        return fmt::format("with -{}, it wants the opposite", option);
      }
    }
    if (check.becomes == counted_ports) {
      add(check.becomes, words.rest.size() < 2 ? "any" : words.rest[1], line.number);
      return {};
    }
    if (line.expands) {
      return fmt::format("only a shell knows its words: write them into `{}`", check.becomes);
    }
    std::vector<std::string> entries = entries_in(check, words);
    if (entries.empty()) entries.emplace_back();
    for (std::string& entry : entries) {
      const std::string named = entry;
      const std::string wrong = make_entry(check.becomes, entry);
      if (!wrong.empty()) return named.empty() ? wrong : fmt::format("`{}`: {}", named, wrong);
    }
    for (const std::string& entry : entries) add(check.becomes, entry, line.number);
    return {};
  }

  void add(const std::string& key, const std::string& value, size_t line) {
    std::vector<NhcEntry>& list = translation.lists[key];
    auto entry = std::ranges::find(list, value, &NhcEntry::value);
    if (entry == list.end()) entry = list.insert(list.end(), {value, {}});
    entry->lines.push_back(line);
  }

  const NhcTable& table_;
  const std::string& node_;
};

std::string list_text(const std::string& key, const std::vector<NhcEntry>& list,
                      const std::vector<std::string>& ours) {
  std::string text = key + ":\n";
  for (const std::string& one : ours) {
    if (std::ranges::find(list, one, &NhcEntry::value) == list.end()) {
      text += fmt::format("  - {}\n", source::yaml_scalar(one));
    }
  }
  for (const NhcEntry& entry : list) {
    std::vector<std::string> lines;
    for (const size_t line : entry.lines) lines.push_back(std::to_string(line));
    text += fmt::format("  - {}  # line {}\n", source::yaml_scalar(entry.value), join(lines, ", "));
  }
  return text;
}

}  // namespace

size_t NhcTranslation::count(NhcFate fate) const {
  return static_cast<size_t>(std::ranges::count(answers, fate, &NhcAnswer::fate));
}

NhcTranslation translate_nhc(const std::string& text, const NhcTable& table,
                             const std::string& node) {
  NhcTranslator translator(table, node);
  for (const NhcLine& line : read_nhc(text)) translator.take(line);
  return std::move(translator.translation);
}

std::string policy_of_nhc(const NhcTranslation& translation, const health::Policy& ours) {
  std::string text;
  for (const auto& [key, list] : translation.lists) {
    if (key == counted_ports) {
      text += fmt::format("limits: {{{}: {}}}\n", key, list.size());
    } else {
      text += list_text(key, list,
                        key == "disks"     ? ours.disks
                        : key == "daemons" ? ours.daemons
                                           : ours.mounts);
    }
  }
  return text;
}

}  // namespace slipway::hosts
