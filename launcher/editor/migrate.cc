// Rewrites blueprints of older releases of Cluster Toolkit.
#include "launcher/editor/migrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>

#include "common/error.h"
#include "common/text.h"
#include "launcher/editor/migrated_module.h"
#include "launcher/editor/migrated_variables.h"
#include "launcher/expression/notation.h"

namespace slipway::editor {
namespace {

using modules::Interface;
using source::Entry;
using source::Node;

class Migrator {
 public:
  Migrator(source::Span file, const MigrationRules& rules, modules::Library& library,
           source::Sources& sources, const Node& root)
      : rules_(rules),
        library_(library),
        sources_(sources),
        edits_(file, sources),
        variables_(rules, edits_, find_names(root, sources)) {}

  Migration run(const Node& root) {
    read_modules(root);
    for (MigratedModule& module : modules_) move_source(module);
    for (MigratedModule& module : modules_) turn_uses(module);
    for (MigratedModule& module : modules_) hand_on(module);
    for (MigratedModule& module : modules_) drop_uses(module);
    const auto say = [this](uint32_t at, bool is_by_hand, std::string text) {
      is_by_hand ? by_hand(at, std::move(text)) : note(at, std::move(text));
    };
    const Node* vars = root.find("vars");
    if (vars != nullptr && has_migrated()) {
      variables_.change(
          *vars, sources_, [this](const std::string& name) { return is_input(name); }, say);
    }
    for (MigratedModule& module : modules_) change_settings(module);
    variables_.report_uses(say);
    for (const MigratedModule& module : modules_) {
      if (write_module(module, edits_)) continue;
      throw Error(
          fmt::format("line {}: module `{}` is in braces: write it in lines, and migrate again",
                      sources_.place(module.node->span.begin).line, module.id));
    }
    std::ranges::stable_sort(result_.notes, {}, [](const MigrationNote& one) { return one.line; });
    result_.text = edits_.changed();
    return std::move(result_);
  }

 private:
  void note(uint32_t at, std::string text) {
    result_.notes.push_back({sources_.place(at).line, false, std::move(text)});
  }
  void by_hand(uint32_t at, std::string text) {
    result_.notes.push_back({sources_.place(at).line, true, std::move(text)});
  }

  void read_modules(const Node& root) {
    const Node* groups = root.find("deployment_groups");
    if (groups == nullptr) return;
    for (const Node& group : groups->items) {
      const Node* modules = group.find("modules");
      if (modules == nullptr) continue;
      for (const Node& node : modules->items) {
        const Node* id = node.find("id");
        const Node* source = node.find("source");
        if (!node.is_mapping() || source == nullptr || !source->is_scalar()) continue;
        MigratedModule module;
        module.node = &node;
        module.id = id == nullptr ? "" : id->text;
        module.path = modules::parse_source(source->text).path;
        const auto rule = rules_.modules.find(module.path);
        if (rule != rules_.modules.end()) module.rule = &rule->second;
        modules_.push_back(std::move(module));
      }
    }
  }

  MigratedModule* find(std::string_view id) {
    const auto found = std::ranges::find_if(
        modules_, [id](const MigratedModule& one) { return one.id == id && !id.empty(); });
    return found == modules_.end() ? nullptr : &*found;
  }

  void move_source(MigratedModule& module) {
    if (module.rule == nullptr) return;
    const Node& source = *module.node->find("source");
    if (!module.rule->gone.empty()) {
      by_hand(source.span.begin, fmt::format("`{}` is gone: {}", module.path, module.rule->gone));
    }
    if (module.rule->to.empty()) return;
    edits_.replace(source.span, module.rule->to);
    note(source.span.begin,
         fmt::format("module `{}` is now `{}`: {}", module.id, module.rule->to, module.rule->why));
    module.path = module.rule->to;
    if (module.rule->split_to.empty()) return;
    const std::string id = module.id + module.rule->split_suffix;
    module.split_id = id;
    for (int number = 2; find(module.split_id) != nullptr; ++number) {
      module.split_id = fmt::format("{}_{}", id, number);
    }
    module.added_uses.push_back(module.split_id);
    note(source.span.begin,
         fmt::format("module `{}` is new: `{}`", module.split_id, module.rule->split_to));
  }

  // The controller uses its login nodes: it was the other way around.
  void turn_uses(MigratedModule& module) {
    const Node* uses = module.list("use");
    if (module.rule == nullptr || module.rule->users.empty() || uses == nullptr) return;
    for (size_t i = 0; i < uses->items.size(); ++i) {
      MigratedModule* other = find(uses->items[i].text);
      if (other == nullptr || other->path != module.rule->users) continue;
      module.removed_uses.insert(i);
      other->added_uses.push_back(module.id);
      note(
          uses->items[i].span.begin,
          fmt::format("module `{}` uses `{}` now, not the other way around", other->id, module.id));
    }
  }

  const Interface* interface_of(const std::string& path) {
    source::Diagnostics ignored(sources_);
    return library_.find(path, ignored);
  }

  // Whether the module at `path` takes one of the outputs of the module `other`.
  bool takes(const std::string& path, const Interface& other) {
    const Interface* taker = interface_of(path);
    if (taker == nullptr) return false;
    return std::ranges::any_of(other.outputs, [&](const modules::Output& output) {
      const modules::Input* input = taker->input(output.name);
      return input != nullptr && input->gone.empty();
    });
  }

  std::vector<MigratedModule*> targets_of(const MigratedModule& module, const std::string& path) {
    std::vector<MigratedModule*> targets;
    const Node* uses = module.list("use");
    for (size_t i = 0; uses != nullptr && i < uses->items.size(); ++i) {
      MigratedModule* other = find(uses->items[i].text);
      if (other != nullptr && other->path == path) targets.push_back(other);
    }
    return targets;
  }

  static bool uses_already(const MigratedModule& module, const std::string& id) {
    const Node* uses = module.list("use");
    const auto is_it = [&id](const Node& item) { return item.text == id; };
    return (uses != nullptr && std::ranges::any_of(uses->items, is_it)) ||
           std::ranges::find(module.added_uses, id) != module.added_uses.end();
  }

  // What only nodesets need was used by the partition.
  void hand_on(MigratedModule& module) {
    const Node* uses = module.list("use");
    if (module.rule == nullptr || module.rule->hand_on.empty() || uses == nullptr) return;
    const std::string& to = module.rule->hand_on;
    const std::vector<MigratedModule*> targets = targets_of(module, to);
    if (targets.empty() && module.split_id.empty()) return;
    for (size_t i = 0; i < uses->items.size(); ++i) {
      const MigratedModule* other = find(uses->items[i].text);
      const Interface* used =
          other == nullptr || other->path == to ? nullptr : interface_of(source_of(*other));
      if (used == nullptr || takes(module.path, *used) || !takes(to, *used)) continue;
      module.removed_uses.insert(i);
      if (!module.split_id.empty()) module.split_uses.push_back(other->id);
      for (MigratedModule* target : targets) {
        if (!uses_already(*target, other->id)) target->added_uses.push_back(other->id);
      }
      note(uses->items[i].span.begin,
           fmt::format("`{}` is used by the nodes of `{}`, not by the partition", other->id,
                       module.id));
    }
  }

  // The module that takes its place may have no use for what it used.
  void drop_uses(MigratedModule& module) {
    const Node* uses = module.list("use");
    if (module.rule == nullptr || module.rule->to.empty() || uses == nullptr) return;
    for (size_t i = 0; i < uses->items.size(); ++i) {
      const MigratedModule* other = find(uses->items[i].text);
      const Interface* used = other == nullptr ? nullptr : interface_of(source_of(*other));
      if (used == nullptr || used->unreadable || takes(module.path, *used)) continue;
      if (!module.removed_uses.insert(i).second) continue;
      note(uses->items[i].span.begin,
           fmt::format("module `{}` takes nothing from `{}`", module.id, other->id));
    }
  }

  static std::string source_of(const MigratedModule& module) {
    return module.path.empty() ? module.node->find("source")->text : module.path;
  }

  void change_settings(MigratedModule& module) {
    const Node* settings = module.settings();
    if (settings == nullptr) return;
    for (size_t i = 0; i < settings->entries.size(); ++i) {
      const Entry& entry = settings->entries[i];
      const SettingRule* rule = nullptr;
      if (module.rule != nullptr) {
        const auto found = module.rule->settings.find(entry.key);
        if (found != module.rule->settings.end()) rule = &found->second;
      }
      if (rule != nullptr && applies(*rule, text_of(entry))) {
        change_setting(module, *settings, i, *rule);
      } else if (rule == nullptr) {
        report_gone(module, entry);
        move_paths(entry);
      }
    }
  }

  // A value may name a file of a module: modules/embedded/PATH/etc/slurm.conf.tpl.
  void move_paths(const Entry& entry) {
    const std::string_view text = text_of(entry);
    for (const auto& [path, rule] : rules_.modules) {
      if (rule.to.empty()) continue;
      const std::string named = "embedded/" + path + "/";
      for (size_t at = text.find(named); at != text.npos; at = text.find(named, at + 1)) {
        const uint32_t begin =
            entry.key_span.end + static_cast<uint32_t>(at + std::string_view("embedded/").size());
        edits_.replace({begin, begin + static_cast<uint32_t>(path.size())}, rule.to);
        note(begin, fmt::format("the files of `{}` are those of `{}`", path, rule.to));
      }
    }
  }

  // Settings without a rule that the module of today does not have.
  void report_gone(const MigratedModule& module, const Entry& entry) {
    if (module.path.empty() || (module.rule != nullptr && !module.rule->gone.empty())) return;
    const Interface* interface = interface_of(module.path);
    if (interface == nullptr || interface->unreadable) return;
    const modules::Input* input = interface->input(entry.key);
    if (input != nullptr && input->gone.empty()) return;
    if (input == nullptr && (module.rule == nullptr || module.rule->to.empty())) return;
    by_hand(entry.key_span.begin,
            fmt::format("`{}` of module `{}`: {}", entry.key, module.id,
                        input == nullptr ? "there is no such setting" : input->gone));
  }

  std::string_view text_of(const Entry& entry) const {
    return sources_.text(
        {entry.key_span.end, std::max(entry.key_span.end, edits_.end_of(entry.value))});
  }

  bool has_migrated() const {
    return std::ranges::any_of(modules_, [](const MigratedModule& module) {
      return module.rule != nullptr && !module.rule->to.empty();
    });
  }

  void change_setting(MigratedModule& module, const Node& settings, size_t index,
                      const SettingRule& rule) {
    const Entry& entry = settings.entries[index];
    const uint32_t at = entry.key_span.begin;
    const std::string what = fmt::format("`{}` of module `{}`", entry.key, module.id);
    const std::string name = rule.to.empty() ? entry.key : rule.to;
    if (!rule.by_hand.empty()) return by_hand(at, what + ": " + rule.by_hand);
    if (!rule.gone.empty()) {
      remove(module, settings, index);
      return note(at, fmt::format("{} is left out: {}", what, rule.gone));
    }
    std::string value;
    if (!rule.values.empty()) {
      value = new_value(rule, entry.value);
      if (value.empty()) {
        return by_hand(at, fmt::format("{} is now `{}`: write its value", what, name));
      }
    }
    if (settings.find(name) != nullptr && name != entry.key) {
      return by_hand(at, fmt::format("{} is now `{}`, which is set, too", what, name));
    }
    if (!rule.members.empty()) return split_members(module, settings, index, rule);
    if (!rule.move.empty()) return move_setting(module, settings, index, rule, value);
    edits_.replace(entry.key_span, name);
    if (!value.empty()) edits_.replace(entry.value.span, value);
    if (rule.list) edits_.make_list(entry.value);
    note(at, fmt::format("{} is now `{}`", what, name));
  }

  void remove(MigratedModule& module, const Node& settings, size_t index) {
    edits_.remove_entry(settings, index);
    ++module.removed_settings;
  }

  void split_members(MigratedModule& module, const Node& settings, size_t index,
                     const SettingRule& rule) {
    const Entry& entry = settings.entries[index];
    std::vector<std::string> names;
    for (const auto& [member, name] : rule.members) names.push_back("`" + name + "`");
    const bool known = entry.value.is_mapping() &&
                       std::ranges::all_of(entry.value.entries, [&rule](const Entry& member) {
                         return rule.members.contains(member.key);
                       });
    if (!known) {
      return by_hand(entry.key_span.begin, fmt::format("`{}` of module `{}`: write {}", entry.key,
                                                       module.id, join(names, " and ")));
    }
    remove(module, settings, index);
    for (const Entry& member : entry.value.entries) {
      module.added_settings.push_back({&member, rule.members.at(member.key), {}});
    }
    note(entry.key_span.begin,
         fmt::format("`{}` of module `{}` is now {}", entry.key, module.id, join(names, " and ")));
  }

  void move_setting(MigratedModule& module, const Node& settings, size_t index,
                    const SettingRule& rule, const std::string& value) {
    const Entry& entry = settings.entries[index];
    const std::string name = rule.to.empty() ? entry.key : rule.to;
    const std::vector<MigratedModule*> targets = targets_of(module, rule.move);
    const bool to_split = module.rule->split_to == rule.move;
    if (targets.empty() && !to_split) {
      return by_hand(entry.key_span.begin,
                     fmt::format("`{}` of module `{}` belongs to a module of {}", entry.key,
                                 module.id, rule.move));
    }
    std::vector<std::string> ids;
    if (to_split) {
      module.split_settings.push_back({&entry, name, value});
      ids.push_back("`" + module.split_id + "`");
    }
    for (MigratedModule* target : targets) {
      ids.push_back("`" + target->id + "`");
      const Node* own = target->settings();
      if (own != nullptr && own->find(name) != nullptr) continue;
      target->added_settings.push_back({&entry, name, value});
    }
    remove(module, settings, index);
    note(entry.key_span.begin,
         fmt::format("`{}` of module `{}` belongs to {}", entry.key, module.id, join(ids, ", ")) +
             (name == entry.key ? "" : ", as `" + name + "`"));
  }

  // Empty if a person has to write it.
  std::string new_value(const SettingRule& rule, const Node& value) {
    if (!value.is_scalar()) return {};
    if (const std::string* found = rule.value_for(value)) return *found;
    return variables_.opposite(rule, value);
  }

  // Whether a module takes the variable of that name today.
  bool is_input(const std::string& name) {
    return std::ranges::any_of(modules_, [&](const MigratedModule& module) {
      const Interface* interface = interface_of(source_of(module));
      const modules::Input* input = interface == nullptr ? nullptr : interface->input(name);
      return input != nullptr && input->gone.empty();
    });
  }

  const MigrationRules& rules_;
  modules::Library& library_;
  source::Sources& sources_;
  TextEdits edits_;
  std::deque<MigratedModule> modules_;
  MigratedVariables variables_;
  Migration result_;
};

}  // namespace

std::optional<Migration> migrate(source::Span file, const MigrationRules& rules,
                                 modules::Library& library, source::Sources& sources,
                                 source::Diagnostics& diagnostics) {
  const size_t errors = diagnostics.errors();
  const auto root = source::read_yaml(file, sources, diagnostics);
  if (!root || diagnostics.errors() > errors) return std::nullopt;
  Migration migration = Migrator(file, rules, library, sources, *root).run(*root);
  source::Diagnostics mistakes(sources);
  const source::Span after = sources.add("migrated", migration.text);
  if (!source::read_yaml(after, sources, mistakes) || mistakes.errors() > 0) {
    throw Error(
        fmt::format("cannot rewrite this layout; it would become:\n{}", trim(render(mistakes))));
  }
  return migration;
}

}  // namespace slipway::editor
