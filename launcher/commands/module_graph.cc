// Draws the modules of a Deployment as text for Graphviz.
#include "launcher/commands/module_graph.h"

#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "common/markup.h"

namespace slipway::commands {
namespace {

using blueprint::Deployment;
using blueprint::Module;
using blueprint::Origin;

// A quoted string of DOT, in which backslashes are escapes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// The color of a module, by its folder in the library.
const char* color_of(const Module& module) {
  struct Entry {
    const char* folder;
    const char* color;
  };
  static constexpr std::array<Entry, 4> colors{{{"network", "#dbeafe"},
                                                {"file-system", "#dcfce7"},
                                                {"compute", "#ffedd5"},
                                                {"scheduler", "#ede9fe"}}};
  const std::string folder = std::filesystem::path(module.source).parent_path().filename().string();
  for (const Entry& entry : colors) {
    if (folder == entry.folder) return entry.color;
  }
  return "#f1f5f9";
}

std::string node(const Module& module) {
  std::string name = std::filesystem::path(module.source).filename().string();
  if (module.kind == "packer") name += ", an image";
  return fmt::format(
      "    {} [label=<<b>{}</b><br/><font point-size=\"10\">{}</font>>, "
      "fillcolor=\"{}\", tooltip={}];\n",
      quoted(module.id), markup_escaped(module.id), markup_escaped(name), color_of(module),
      quoted(module.source));
}

// What a module takes from others, by their ids.
struct Taken {
  std::map<std::string, std::set<std::string>> by_use, by_expression;
};

Taken taken_by(const Module& module) {
  Taken taken;
  for (const auto& [name, setting] : module.settings) {
    if (setting.origin == Origin::used) {
      for (const std::string& used : setting.from) taken.by_use[used].insert(name);
      continue;
    }
    expression::for_each_reference(
        setting.value, [&, name = name](const expression::Traversal& traversal, source::Span) {
          if (traversal.root != "module" || traversal.steps.empty()) return;
          taken.by_expression[traversal.steps[0].name].insert(name);
        });
  }
  for (const blueprint::Use& use : module.uses) taken.by_use[use.module];
  return taken;
}

std::string edge(const std::string& from, const std::string& to,
                 const std::set<std::string>& settings, const char* style) {
  std::string label;
  for (const std::string& setting : settings)
    label += markup_escaped(setting) + "<br align=\"left\"/>";
  return fmt::format("  {} -> {} [style={}{}];\n", quoted(from), quoted(to), style,
                     label.empty() ? "" : ", label=<" + label + ">");
}

std::string edges(const Deployment& deployment, const Module& module) {
  const Taken taken = taken_by(module);
  std::string text;
  for (const std::string& id : deployment.module_ids()) {
    if (const auto used = taken.by_use.find(id); used != taken.by_use.end()) {
      text += edge(id, module.id, used->second, used->second.empty() ? "dotted" : "solid");
    }
    if (const auto named = taken.by_expression.find(id); named != taken.by_expression.end()) {
      text += edge(id, module.id, named->second, "dashed");
    }
  }
  return text;
}

}  // namespace

std::string module_graph(const Deployment& deployment) {
  std::string text = fmt::format(
      "digraph {} {{\n"
      "  graph [rankdir=LR, fontname=\"Helvetica\", fontsize=12, nodesep=0.4, ranksep=1];\n"
      "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12];\n"
      "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#64748b\", fontcolor=\"#334155\"];\n",
      quoted(deployment.name));
  for (const blueprint::Group& group : deployment.groups) {
    text += fmt::format("  subgraph {} {{\n    label={};\n    color=\"#94a3b8\";\n",
                        quoted("cluster_" + group.name), quoted(group.name));
    for (const Module& module : group.modules) text += node(module);
    text += "  }\n";
  }
  for (const blueprint::Group& group : deployment.groups) {
    for (const Module& module : group.modules) text += edges(deployment, module);
  }
  return text + "}\n";
}

}  // namespace slipway::commands
