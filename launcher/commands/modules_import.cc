// `slipway modules import`: brings the module library up to a version of Cluster Toolkit.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/commands/module_parts.h"
#include "launcher/commands/page.h"
#include "launcher/google/toolkit.h"
#include "launcher/modules/fetch.h"
#include "launcher/modules/import.h"
#include "launcher/modules/library.h"
#include "launcher/modules/lifetimes.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;
using modules::Import;
using modules::ModuleChange;
using modules::ModuleImport;
using ImportState = ModuleImport::State;

struct ImportInput {
  std::string source;
  std::string library;
  std::string version;
  bool dry_run = false;
  bool json = false;
};

const char* word_of(ModuleChange::Kind kind) {
  switch (kind) {
    case ModuleChange::Kind::added:
      return "added";
    case ModuleChange::Kind::changed:
      return "changed";
    case ModuleChange::Kind::removed:
      return "removed";
    case ModuleChange::Kind::lost:
      return "lost";
    case ModuleChange::Kind::by_hand:
      return "by hand";
    case ModuleChange::Kind::unchecked:
      return "unchecked";
  }
  return "";
}

const char* word_of(ImportState state) {
  switch (state) {
    case ImportState::unchanged:
      return "unchanged";
    case ImportState::changed:
      return "changed";
    case ImportState::added:
      return "added";
    case ImportState::missing:
      return "missing";
    case ImportState::gone:
      return "gone";
  }
  return "";
}

// A branch, tag or commit, without anything that git or a shell reads as something else.
bool is_git_ref(const std::string& text) {
  return !text.empty() && text.front() != '-' && text.front() != '.' && text.front() != '/' &&
         text.find("..") == text.npos &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789._/-") == text.npos;
}

// The folder of the checkout: `source` itself, or what git fetches for it.
fs::path checkout_folder(const std::string& source, const std::string& repository) {
  std::error_code ignored;
  if (fs::is_directory(source, ignored)) return source;
  if (source.find('/') != source.npos || !is_git_ref(source)) {
    throw Error(fmt::format("there is no folder `{}`", source));
  }
  const auto remote = modules::parse_source(fmt::format("{}?ref={}", repository, source));
  const modules::ModuleCache cache = modules::ModuleCache::of_user();
  modules::Fetcher fetcher(cache);
  // A tag stays what it is, a branch moves.
  if (!fetcher.has(remote) || modules::version_numbers(source).empty()) {
    fmt::print(stderr, "fetching {}\n", remote.package);
    try {
      fetcher.fetch(remote);
    } catch (const Error& error) {
      throw Error(
          fmt::format("cannot fetch `{}`: {}\nclone the repository yourself, and name its "
                      "folder instead of `{}`",
                      remote.package, error.what(), source));
    }
  }
  return cache.folder(remote);
}

std::string summary_of(const Import& import, bool dry_run) {
  std::map<ImportState, size_t> counts;
  for (const ModuleImport& module : import.modules) ++counts[module.state];
  std::vector<std::string> parts;
  for (const ImportState state : {ImportState::changed, ImportState::added, ImportState::missing,
                                  ImportState::gone, ImportState::unchanged}) {
    if (counts[state] > 0) parts.push_back(fmt::format("{} {}", counts[state], word_of(state)));
  }
  const bool is_older = modules::compare_versions(import.version, import.before) < 0;
  return fmt::format("Cluster Toolkit {} (the library {} of {}): {}{}", import.version,
                     is_older ? "stays" : "was", import.before,
                     counted(import.modules.size(), "module"),
                     parts.empty() ? "" : ", " + join(parts, ", ")) +
         (dry_run ? "; nothing is written\n" : "\n");
}

std::string report_text(const Import& import, bool dry_run, const Paint& paint) {
  std::string text = summary_of(import, dry_run);
  for (const ModuleImport& module : import.modules) {
    if (module.state == ImportState::unchanged) continue;
    text += "\n" + paint.bold(module.path) + "\n";
    if (module.state == ImportState::added) text += "  a new module, with an interface only\n";
    if (module.state == ImportState::missing) text += "  not in this release; the file stays\n";
    if (module.state == ImportState::gone) text += "  the library does not have it\n";
    for (const ModuleChange& change : module.changes) {
      text += fmt::format("  {} {}{}\n", padded(word_of(change.kind), 10), change.what,
                          change.text.empty() ? "" : ": " + cut(change.text, page_width));
    }
  }
  return text;
}

nlohmann::ordered_json report_json(const Import& import, bool dry_run) {
  auto list = nlohmann::ordered_json::array();
  for (const ModuleImport& module : import.modules) {
    auto changes = nlohmann::ordered_json::array();
    for (const ModuleChange& change : module.changes) {
      changes.push_back(
          {{"kind", word_of(change.kind)}, {"what", change.what}, {"text", change.text}});
    }
    list.push_back(
        {{"path", module.path}, {"state", word_of(module.state)}, {"changes", std::move(changes)}});
  }
  return {{"schema", "slipway/import/1"},
          {"version", import.version},
          {"before", import.before},
          {"written", !dry_run},
          {"modules", std::move(list)}};
}

int run_import(const ImportInput& input) {
  const fs::path library =
      input.library.empty() ? find_installation().blueprints() : fs::path(input.library);
  const google::Toolkit toolkit = google::load_toolkit(library);
  if (toolkit.version.empty()) {
    throw Error(fmt::format("{} is not a module library: it has no catalogue/toolkit.yaml",
                            library.string()));
  }
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const modules::Checkout checkout =
      modules::read_checkout(checkout_folder(input.source, toolkit.repository), sources,
                             diagnostics, modules::Library(library, sources, {}).paths());
  std::string version = input.version.empty() ? checkout.version : input.version;
  const bool is_bare = !version.empty() && version[0] >= '0' && version[0] <= '9';
  if (is_bare) version.insert(0, "v");  // as tags are named
  if (version.empty()) {
    throw Error("no versions.tf of the checkout names its version: add --version");
  }
  if (modules::version_numbers(version).empty() || std::ranges::count(version, '.') != 2) {
    throw Error(fmt::format("`{}` is not a version such as v1.95.0", version));
  }
  Import import;
  if (diagnostics.errors() == 0) {
    import =
        modules::plan_import({checkout, version, library, toolkit.version}, sources, diagnostics);
  }
  show(diagnostics);
  if (diagnostics.errors() > 0) {
    throw Error("nothing is imported, since files have mistakes");
  }
  if (!input.dry_run) write_import(import, library);
  if (input.json) {
    fmt::print("{}\n", report_json(import, input.dry_run).dump(2));
  } else {
    const std::string text = report_text(import, input.dry_run, stdout_paint());
    std::fputs(for_locale(text).c_str(), stdout);
  }
  return 0;
}

}  // namespace

int modules_import(Args args) {
  ImportInput input;
  CommandLine line("slipway modules import",
                   "Bring the module library up to another version of Cluster Toolkit.");
  line.about(
      "SOURCE is a checkout of Cluster Toolkit, or a tag that git fetches. Inputs, types, "
      "defaults, outputs, services and providers of its modules are taken over into the module "
      "files; resources, rules and help that are there stay. The report says what was added, "
      "changed and removed, what lost its meaning (`lost`: the file still uses an input that is "
      "gone) and what remains to do by hand. An input that is gone stays in the file and says so "
      "to those who set it. If anything is wrong, nothing is written. An older release changes no "
      "module file: it is recorded which inputs came later, so that blueprints that name the "
      "release are checked.");
  line.positional("SOURCE", &input.source);
  line.option("library", "FOLDER", "the module library, such as blueprints/ of Slipway's source",
              &input.library, "the installed one");
  line.option("version", "VERSION", "the version of the checkout", &input.version,
              "what its versions.tf say");
  line.flag("dry-run", "report, and write nothing", &input.dry_run);
  line.json("schema slipway/import/1", &input.json);
  line.example("slipway modules import ~/cluster-toolkit --dry-run", "see what has changed");
  line.example("slipway modules import v1.96.0 --library blueprints",
               "fetch a release and update Slipway's own source");
  line.environment("XDG_CACHE_HOME", "where fetched releases are kept (default ~/.cache)");
  line.see_also("slipway-modules(1)");
  if (!line.parse(args)) return 0;
  return run_import(input);
}

}  // namespace slipway::commands
