// Reads and writes from when to when Cluster Toolkit had inputs and modules.
#include "launcher/modules/lifetimes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text.h"
#include "launcher/modules/toolkit_checkout.h"
#include "launcher/source/keys.h"
#include "launcher/source/table.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;
using source::Code;
using source::Entry;
using source::Node;

class LifetimesReader {
 public:
  LifetimesReader(source::Diagnostics& diagnostics, Lifetimes& out)
      : diagnostics_(diagnostics), out_(out) {}

  void read(const Node& root) {
    keys(root, "the file", {"sources", "modules"});
    const Node* modules = root.find("modules");
    if (modules == nullptr) return;
    for (const Entry& module : modules->entries) {
      keys(module.value, "a module", {"came", "after", "gone", "until", "inputs", "source"});
      merge(out_.modules[module.key], module.value);
      const Node* inputs = module.value.find("inputs");
      if (inputs == nullptr) continue;
      for (const Entry& input : inputs->entries) {
        keys(input.value, "an input", {"came", "after", "gone", "until", "source"});
        merge(out_.inputs[module.key][input.key], input.value);
      }
    }
  }

 private:
  void keys(const Node& node, std::string_view what, const std::vector<std::string>& known) {
    source::check_keys(node, what, known, Code::bad_catalogue, diagnostics_);
  }

  void merge(Lifetime& lifetime, const Node& node) {
    for (const auto& [key, member] : members()) {
      const Node* value = node.find(key);
      if (value == nullptr) continue;
      if (!value->is_scalar() || !is_version(value->text)) {
        diagnostics_.error(Code::bad_catalogue, value->span,
                           fmt::format("`{}` must be a version such as v1.95.0", key));
      } else {
        lifetime.*member = value->text;
      }
    }
  }

 public:
  static const std::array<std::pair<const char*, std::string Lifetime::*>, 4>& members() {
    static const std::array<std::pair<const char*, std::string Lifetime::*>, 4> all{{
        {"came", &Lifetime::came},
        {"after", &Lifetime::after},
        {"gone", &Lifetime::gone},
        {"until", &Lifetime::until},
    }};
    return all;
  }

 private:
  source::Diagnostics& diagnostics_;
  Lifetimes& out_;
};

void read_lifetimes_file(const fs::path& file, Lifetimes& out) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const auto root = source::read_table(file, sources, diagnostics);
  if (root) LifetimesReader(diagnostics, out).read(*root);
  if (diagnostics.errors() > 0) throw Error(std::string(trim(render(diagnostics))));
}

std::string line_of_lifetime(const Lifetime& lifetime) {
  std::vector<std::string> parts;
  for (const auto& [key, member] : LifetimesReader::members()) {
    const std::string& value = lifetime.*member;
    if (!value.empty()) parts.push_back(fmt::format("{}: {}", key, value));
  }
  return join(parts, ", ");
}

}  // namespace

const Lifetime* Lifetimes::input(const std::string& module_path, const std::string& name) const {
  const auto found = inputs.find(module_path);
  if (found == inputs.end()) return nullptr;
  const auto one = found->second.find(name);
  return one == found->second.end() ? nullptr : &one->second;
}

const Lifetime* Lifetimes::module(const std::string& path) const {
  const auto found = modules.find(path);
  return found == modules.end() ? nullptr : &found->second;
}

Lifetimes read_imported_lifetimes(const fs::path& library) {
  Lifetimes lifetimes;
  read_lifetimes_file(library / imported_lifetimes_file, lifetimes);
  return lifetimes;
}

Lifetimes read_lifetimes(const fs::path& library) {
  Lifetimes lifetimes = read_imported_lifetimes(library);
  read_lifetimes_file(library / "catalogue/lifetimes.yaml", lifetimes);
  return lifetimes;
}

std::string lifetimes_text(const Lifetimes& lifetimes) {
  std::string text =
      "# Written by `slipway modules import`: from when to when Cluster Toolkit had inputs and\n"
      "# modules. The keys are those of lifetimes.yaml.\nmodules:\n";
  std::map<std::string, std::string> modules;
  for (const auto& [path, lifetime] : lifetimes.modules) {
    const std::string line = line_of_lifetime(lifetime);
    if (!line.empty()) modules[path] += "    " + join(split(line, ','), "\n   ") + "\n";
  }
  for (const auto& [path, inputs] : lifetimes.inputs) {
    if (inputs.empty()) continue;
    std::string& section = modules[path];
    section += "    inputs:\n";
    for (const auto& [name, lifetime] : inputs) {
      section += fmt::format("      \"{}\": {{{}}}\n", name, line_of_lifetime(lifetime));
    }
  }
  for (const auto& [path, section] : modules) text += fmt::format("  {}:\n{}", path, section);
  return modules.empty()
             ? text.replace(text.rfind('\n', text.size() - 2) + 1, text.npos, "modules: {}\n")
             : text;
}

std::string library_version(const fs::path& library) {
  const fs::path file = library / "catalogue/toolkit.yaml";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  source::Sources sources;
  source::Diagnostics reported(sources);
  const auto root = source::read_table(file, sources, reported);
  const Node* version = root ? root->find("version") : nullptr;
  return version != nullptr && version->is_scalar() ? version->text : std::string();
}

int compare_versions(const std::string& a, const std::string& b) {
  std::vector<int> first = version_numbers(a), second = version_numbers(b);
  first.resize(3);
  second.resize(3);
  if (first == second) return 0;
  return first < second ? -1 : 1;
}

bool is_version(const std::string& text) {
  return !version_numbers(text).empty();
}

std::string came_later(const Lifetime& lifetime, const std::string& version) {
  if (!is_version(version)) return {};
  if (!lifetime.came.empty() && compare_versions(version, lifetime.came) < 0) {
    return "it came with " + lifetime.came;
  }
  if (!lifetime.after.empty() && compare_versions(version, lifetime.after) <= 0) {
    return "it came after " + lifetime.after;
  }
  return {};
}

std::string went_away(const Lifetime& lifetime) {
  if (!lifetime.gone.empty()) return "it is gone since Cluster Toolkit " + lifetime.gone;
  if (lifetime.until.empty()) return {};
  return fmt::format("it is gone: Cluster Toolkit {} had it", lifetime.until);
}

}  // namespace slipway::modules
