// Tests of tables in their prepared form.
#include "launcher/source/table.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::source;

namespace {

constexpr const char* table_text =
    "rows: [{name: one, size: 5}]\n"
    "about: >-\n"
    "  two\n"
    "  lines\n"
    "base: &base {a: !!str 1}\n"
    "more: {<<: *base, b: 'é'}\n"
    "empty:\n";

struct Tables {
  Tables() { write(table_text); }
  void write(const std::string& text) const { write_file(folder / "table.yaml", text); }
  void prepare() const {
    write_file(folder / prepared_tables, prepare_tables({folder / "table.yaml"}));
  }
  TemporaryDirectory folder;
};

// Everything in a tree, with the text at each place.
std::string whole(const Node& node, const Sources& sources) {
  std::string text = std::to_string(static_cast<int>(node.kind)) + "/" +
                     std::to_string(static_cast<int>(node.style)) + "<" +
                     std::string(sources.text(node.span)) + ">" + node.tag + "=" + node.text;
  for (const Node& item : node.items) text += "[" + whole(item, sources) + "]";
  for (const Entry& entry : node.entries) {
    text += "{" + entry.key + "<" + std::string(sources.text(entry.key_span)) + ">" +
            whole(entry.value, sources) + "}";
  }
  return text;
}

std::string read(const Tables& tables) {
  Sources sources;
  Diagnostics diagnostics(sources);
  sources.add("before.yaml", "other text");
  const auto root = read_table(tables.folder / "table.yaml", sources, diagnostics);
  return (root ? whole(*root, sources) : "nothing") + render(diagnostics);
}

}  // namespace

TEST_CASE("tables: the prepared form is the same tree with the same places") {
  const Tables tables;
  const std::string from_text = read(tables);
  tables.prepare();
  CHECK(read(tables) == from_text);
}

TEST_CASE("tables: the prepared form is what is read") {
  const Tables tables;
  std::string prepared = prepare_tables({tables.folder / "table.yaml"});
  const size_t at = prepared.find("one");
  REQUIRE(at != prepared.npos);
  prepared.replace(at, 3, "two");
  write_file(tables.folder / prepared_tables, prepared);
  CHECK(read(tables).find("=two") != std::string::npos);
}

TEST_CASE("tables: a changed text, another version and an incomplete file are not used") {
  const Tables tables;
  tables.prepare();
  tables.write("rows: changed\n");
  CHECK(read(tables).find("changed") != std::string::npos);

  tables.write(table_text);
  const std::string from_text = read(tables);
  const std::string prepared = prepare_tables({tables.folder / "table.yaml"});
  for (size_t size = 0; size < prepared.size(); ++size) {
    write_file(tables.folder / prepared_tables, prepared.substr(0, size));
    CHECK(read(tables) == from_text);
  }
  write_file(tables.folder / prepared_tables, "other" + prepared.substr(5));
  CHECK(read(tables) == from_text);
}

TEST_CASE("tables: a table with a mistake is not prepared") {
  const Tables tables;
  tables.write("a: 1\na: 2\n");
  const std::string from_text = read(tables);
  CHECK(from_text.find("duplicate key") != std::string::npos);
  tables.prepare();
  CHECK(read(tables) == from_text);
}
