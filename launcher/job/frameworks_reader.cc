// Reads the catalog of frameworks.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "common/error.h"
#include "common/installation.h"
#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/job/frameworks.h"

namespace slipway::job {
namespace {

using cluster::RowReader;

class FrameworksReader {
 public:
  FrameworksReader(const source::Node& root, source::Diagnostics& diagnostics)
      : file_(root, "the file", diagnostics), diagnostics_(diagnostics) {}

  std::vector<Framework> read() {
    if (const source::Node* node = file_.mapping("sources")) {
      RowReader row(*node, "the sources", diagnostics_);
      for (const source::Entry& entry : node->entries) sources_[entry.key] = row.text(entry.key);
    }
    std::vector<Framework> all;
    if (const source::Node* list = file_.sequence("frameworks")) {
      for (const source::Node& item : list->items) all.push_back(read_framework(item));
    }
    file_.finish();
    return all;
  }

 private:
  Framework read_framework(const source::Node& item) {
    RowReader row(item, "a framework", diagnostics_);
    Framework framework;
    framework.name = row.text("name");
    framework.what = row.text("what");
    framework.of_slurm = row.has("slurm") && row.one_of("slurm", {"true"}) == "true";
    framework.argument = row.optional_text("argument");
    framework.instead_of = row.optional_texts("instead_of");
    framework.wants = row.optional_texts("wants");
    framework.note = row.optional_text("note");
    if (row.has("source")) framework.source = read_document(row, item);
    if (const source::Node* list = row.sequence("variables")) {
      for (const source::Node& each : list->items) framework.variables.push_back(read_row(each));
    }
    row.finish();
    return framework;
  }

  FrameworkVariable read_row(const source::Node& item) {
    RowReader row(item, "a variable", diagnostics_);
    FrameworkVariable variable;
    variable.name = row.text("name");
    variable.value = row.text("value");
    variable.source = read_document(row, item);
    variable.yours_wins = row.has("yours") && row.one_of("yours", {"wins", "replaced"}) == "wins";
    for (const std::string& word : words_in(variable.value)) {
      if (!known_.contains(word)) {
        row.wrong(item.find("value")->span, fmt::format("`{}` has no meaning here", word),
                  fmt::format("expected one of {}", join(value_words(), ", ")));
      }
    }
    row.finish();
    return variable;
  }

  std::string read_document(RowReader& row, const source::Node& item) {
    const std::string name = row.text("source");
    const auto known = sources_.find(name);
    if (known != sources_.end()) return known->second;
    if (!name.empty()) {
      row.wrong(item.find("source")->span, fmt::format("there is no source `{}`", name));
    }
    return "";
  }

  // "{host}" and "{port}" of "{host}:{port}".
  static std::vector<std::string> words_in(std::string_view value) {
    std::vector<std::string> words;
    for (size_t begin = 0; (begin = value.find('{', begin)) != value.npos;) {
      const size_t end = value.find('}', begin);
      words.emplace_back(value.substr(begin, end == value.npos ? end : end - begin + 1));
      if (end == value.npos) break;
      begin = end;
    }
    return words;
  }

  RowReader file_;
  source::Diagnostics& diagnostics_;
  std::map<std::string, std::string> sources_;
  const std::set<std::string> known_ = [] {
    const std::vector<std::string> words = value_words();
    return std::set<std::string>(words.begin(), words.end());
  }();
};

}  // namespace

std::vector<Framework> load_frameworks(const std::filesystem::path& folder,
                                       source::Sources& sources, source::Diagnostics& diagnostics) {
  const auto root = read_yaml(sources.add_file(folder / "frameworks.yaml"), sources, diagnostics);
  if (!root) return {};
  return FrameworksReader(*root, diagnostics).read();
}

std::vector<Framework> installed_frameworks() {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  std::vector<Framework> all =
      load_frameworks(find_installation().blueprints() / "catalogue", sources, diagnostics);
  if (diagnostics.errors() > 0) throw Error(render(diagnostics));
  return all;
}

}  // namespace slipway::job
