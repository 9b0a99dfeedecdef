// Completes module sources, settings, ids, variables, outputs and values.
#include "launcher/editor/completion.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "launcher/editor/outline.h"
#include "launcher/expression/type.h"

namespace slipway::editor {
namespace {

using Kind = Candidate::Kind;

constexpr const char* root_keys[] = {"blueprint_name",
                                     "vars",
                                     "deployment_groups",
                                     "validators",
                                     "validation_level",
                                     "terraform_backend_defaults",
                                     "terraform_providers",
                                     "toolkit_modules_url",
                                     "toolkit_modules_version",
                                     "include",
                                     "settings"};
constexpr const char* group_keys[] = {"group", "modules", "terraform_backend",
                                      "terraform_providers"};
constexpr const char* module_keys[] = {"id",      "source", "kind",     "use",       "settings",
                                       "outputs", "when",   "for_each", "depends_on"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

class Completer {
 public:
  Completer(const Document& document, Position position, modules::Library& library,
            source::Diagnostics& ignored)
      : document_(document),
        outline_(document),
        library_(library),
        ignored_(ignored),
        number_(std::min(position.line, document.line_count() - 1)),
        end_(document.offset(position)),
        line_(document.line(number_)),
        column_(std::min(end_ - document.line_begin(number_), line_.size())),
        place_(outline_.place(number_, column_)) {}

  Completion run() {
    size_t begin = column_;
    while (begin > 0 && is_name_character(line_[begin - 1])) --begin;
    if (in_expression()) {
      expression(begin);
    } else if (last() == "source" && in_module(1)) {
      begin = place_.in_value ? outline_.row_at(number_)->value_at : begin;
      sources();
    } else if (last() == "use" || last() == "depends_on") {
      ids();
    } else if (place_.in_value) {
      values();
    } else {
      keys();
    }
    const size_t start = document_.line_begin(number_);
    completion_.range = document_.range(start + std::min(begin, column_), end_);
    return std::move(completion_);
  }

 private:
  std::string last() const { return place_.keys.empty() ? "" : place_.keys.back(); }
  // Whether the place is that many keys below a module.
  bool in_module(size_t depth) const {
    const auto& keys = place_.keys;
    return keys.size() == 2 + depth && keys[0] == "deployment_groups" && keys[1] == "modules";
  }
  void add(std::string text, Kind kind, std::string detail = {}, std::string help = {}) {
    completion_.candidates.push_back({std::move(text), std::move(detail), std::move(help), kind});
  }

  // After an open `$(` or `((`.
  bool in_expression() const {
    const std::string_view before = line_.substr(0, column_);
    const size_t open = std::max(before.rfind("$(") + 1, before.rfind("((") + 1);
    if (open == 0) return false;
    int depth = 0;
    for (const char c : before.substr(open - 1)) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    return depth > 0;
  }

  void expression(size_t& begin) {
    const std::string typed(line_.substr(begin, column_ - begin));
    const size_t dot = typed.find('.');
    if (dot == typed.npos) {
      add("vars", Kind::keyword, "the blueprint's variables");
      return ids();
    }
    const std::string name = typed.substr(0, dot);
    begin += typed.rfind('.') + 1;
    if (typed.rfind('.') != dot) return;  // a part of a value
    if (name == "vars") {
      for (const Row* row : outline_.variables()) add(row->key, Kind::variable, row->value);
      return;
    }
    const modules::Interface* interface = interface_of(source_of(name));
    if (interface == nullptr) return;
    for (const modules::Output& output : interface->outputs) {
      add(output.name, Kind::property, expression::to_text(output.type), output.help);
    }
  }

  std::string source_of(const std::string& id) const {
    for (const size_t row : outline_.modules()) {
      if (outline_.value_of(row, "id") == id) return outline_.value_of(row, "source");
    }
    return {};
  }

  const modules::Interface* interface_of(const std::string& source) {
    const modules::Interface* found = source.empty() ? nullptr : library_.find(source, ignored_);
    return found == nullptr || found->unreadable ? nullptr : found;
  }

  // The module that the place is in.
  const modules::Interface* own_interface() {
    const size_t* own = nullptr;
    const std::vector<size_t> rows = outline_.modules();
    for (const size_t& row : rows) {
      if (row_line(row) <= number_) own = &row;
    }
    return own == nullptr ? nullptr : interface_of(outline_.value_of(*own, "source"));
  }
  size_t row_line(size_t row) const {
    const auto rows = outline_.siblings(row);
    return rows.empty() ? Row::none : rows[0]->line;
  }

  void sources() {
    for (const std::string& path : library_.paths()) add(path, Kind::module);
  }

  void ids() {
    for (const size_t row : outline_.modules()) {
      const std::string id = outline_.value_of(row, "id");
      const bool is_own = place_.item && row_line(row) == own_line();
      if (!id.empty() && !is_own) add(id, Kind::reference, outline_.value_of(row, "source"));
    }
  }
  size_t own_line() const {
    size_t own = Row::none;
    for (const size_t row : outline_.modules()) {
      if (row_line(row) <= number_) own = row_line(row);
    }
    return own;
  }

  void values() {
    if (place_.keys.size() != 4 || place_.keys[2] != "settings" || !in_module(2)) return;
    const modules::Interface* interface = own_interface();
    const modules::Input* input = interface ? interface->input(last()) : nullptr;
    if (input == nullptr) return;
    for (const std::string& value : input->one_of) add(value, Kind::value);
    if (input->type.kind == expression::Type::Kind::boolean) {
      add("true", Kind::value);
      add("false", Kind::value);
    }
  }

  void keys() {
    if (place_.keys.empty()) return words(root_keys);
    if (place_.keys == std::vector<std::string>{"deployment_groups"}) return words(group_keys);
    if (in_module(0)) return words(module_keys);
    if (!in_module(1) || last() != "settings") return;
    const modules::Interface* interface = own_interface();
    if (interface == nullptr) return;
    const std::set<std::string> there = settings();
    for (const modules::Input& input : interface->inputs) {
      if (!input.gone.empty() || there.contains(input.name)) continue;
      add(input.name + ": ", Kind::property, type_of(input), input.help);
    }
  }

  void words(std::span<const char* const> keys) {
    for (const char* key : keys) add(std::string(key) + ": ", Kind::keyword);
  }

  // The settings that the module has, without the one on the cursor's line.
  std::set<std::string> settings() const {
    std::set<std::string> names;
    for (const size_t row : outline_.modules()) {
      if (row_line(row) != own_line()) continue;
      for (const Row* setting : outline_.children_of(row, "settings")) {
        if (setting->line != number_) names.insert(setting->key);
      }
    }
    return names;
  }

  const Document& document_;
  const Outline outline_;
  modules::Library& library_;
  source::Diagnostics& ignored_;
  const size_t number_, end_;
  const std::string_view line_;
  const size_t column_;  // in bytes
  const Outline::Place place_;
  Completion completion_;
};

}  // namespace

std::string type_of(const modules::Input& input) {
  const std::string type = expression::to_text(input.type);
  if (input.required) return type + ", required";
  const auto standard = expression::to_expression(input.default_value);
  return fmt::format("{}, default {}", type, expression::to_hcl(*standard));
}

Completion complete(const Document& document, Position position, modules::Library& library,
                    source::Diagnostics& ignored) {
  return Completer(document, position, library, ignored).run();
}

}  // namespace slipway::editor
