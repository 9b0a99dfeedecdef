// `slipway migrate`: rewrites a blueprint of an older release of Cluster Toolkit.
#include "launcher/editor/migrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/count.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/replace_file.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/editor/unified_diff.h"
#include "launcher/source/input_limit.h"

namespace slipway::commands {
namespace {

// Returns how many changes a person has to make.
size_t report(const editor::Migration& migration, const std::string& file) {
  size_t by_hand = 0;
  for (const editor::MigrationNote& note : migration.notes) {
    if (note.by_hand) ++by_hand;
    fmt::print(stderr, "{}:{}: {}{}\n", file, note.line, note.by_hand ? "by hand: " : "",
               note.text);
  }
  return by_hand;
}

nlohmann::ordered_json migration_json(const editor::Migration& migration, const std::string& file,
                                      const std::string& diff, bool written) {
  auto changes = nlohmann::ordered_json::array();
  for (const editor::MigrationNote& note : migration.notes) {
    changes.push_back({{"line", note.line}, {"by_hand", note.by_hand}, {"text", note.text}});
  }
  return {{"schema", "slipway/migration/1"},
          {"file", file},
          {"written", written},
          {"changes", std::move(changes)},
          {"diff", diff}};
}

size_t count_by_hand(const editor::Migration& migration) {
  return static_cast<size_t>(
      std::ranges::count_if(migration.notes, &editor::MigrationNote::by_hand));
}

int migrate_file(const std::string& file, bool write, bool json) {
  const std::filesystem::path blueprints = find_installation().blueprints();
  const std::string text = read_regular_file(file, source::max_input_bytes);
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  modules::Library library(blueprints, sources);
  library.skip_bodies();
  library.look_from(std::filesystem::path(file).parent_path());
  // Lines are inserted after others, so the last one needs its end.
  const std::string whole = text.empty() || text.ends_with('\n') ? text : text + "\n";
  auto migration =
      editor::migrate(sources.add(file, whole), editor::load_migration_rules(blueprints), library,
                      sources, diagnostics);
  show(diagnostics);
  if (!migration) return 1;
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) migration->text.insert(0, mark);
  if (migration->text == whole) migration->text = text;
  if (json) {
    const bool changes = write && migration->text != text;
    const std::string diff = editor::line_diff(text, migration->text, file);
    if (changes) replace_file(file, migration->text);
    // Bytes that are not UTF-8, as a comment may have them, become U+FFFD.
    fmt::print("{}\n", migration_json(*migration, file, diff, changes)
                           .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return count_by_hand(*migration) == 0 ? 0 : 1;
  }
  const size_t by_hand = report(*migration, file);
  if (migration->notes.empty()) {
    fmt::print(stderr, "{} has nothing to migrate\n", file);
  } else if (!write) {
    fmt::print("{}", editor::line_diff(text, migration->text, file));
  } else if (migration->text != text) {
    replace_file(file, migration->text);
    fmt::print("{}\n", file);
  }
  if (by_hand == 0) return 0;
  fmt::print(stderr, "{} to make by hand\n", counted(by_hand, "change"));
  return 1;
}

}  // namespace

int migrate(Args args) {
  std::string file;
  bool write = false, json = false;
  CommandLine line("slipway migrate",
                   "Rewrite a blueprint of an older Cluster Toolkit for the modules of today.");
  line.about(
      "Modules of slurm-gcp v4 and v5 become those of v6, modules that have moved get their new "
      "path, and settings that are gone are replaced. The result is printed as a diff, which "
      "`patch` and `git apply` take, and the reason for each change on stderr, with its line. "
      "Comments and layout stay. What nobody can rewrite without you is listed as `by hand`.");
  line.positional("BLUEPRINT", &file);
  line.flag("write", "change the file instead of printing the diff", &write);
  line.json("schema slipway/migration/1", &json);
  line.example("slipway migrate cluster.yaml", "see what would change, and why");
  line.example("slipway migrate cluster.yaml --write && slipway check cluster.yaml",
               "change it, and check the result");
  line.exit_status("0", "all of it is rewritten, or nothing has to be");
  line.exit_status("1", "some changes are left to make by hand, or the file is not YAML");
  line.see_also("slipway-check(1)");
  line.see_also("slipway-modules(1)");
  if (!line.parse(args)) return 0;
  return migrate_file(file, write, json);
}

}  // namespace slipway::commands
