// Reads nhc.yaml of the catalogue.
#include "launcher/hosts/nhc_table.h"

#include <set>

#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::hosts {
namespace {

using cluster::RowReader;

class NhcReader {
 public:
  NhcReader(const source::Node& root, source::Diagnostics& diagnostics)
      : file_(root, "the file", diagnostics), diagnostics_(diagnostics) {}

  NhcTable read() {
    sources_ = file_.keys("sources");
    if (const source::Node* rows = file_.mapping("checks")) {
      for (const source::Entry& entry : rows->entries) read_check(entry);
    }
    if (const source::Node* rows = file_.mapping("settings")) {
      for (const source::Entry& entry : rows->entries) {
        RowReader row(entry.value, "setting `" + entry.key + "`", diagnostics_);
        table_.settings[entry.key] = row.text("instead");
        row.finish(sources_);
      }
    }
    file_.finish();
    return std::move(table_);
  }

 private:
  void read_check(const source::Entry& entry) {
    RowReader row(entry.value, "check `" + entry.key + "`", diagnostics_);
    NhcCheck check;
    check.becomes = row.optional_text("becomes");
    check.options = row.optional_text("options");
    check.entry = row.optional_texts("entry");
    check.findings = row.optional_texts("findings");
    check.opposite = row.optional_texts("opposite");
    check.without = row.optional_text("without");
    if (row.has("lost")) {
      if (const source::Node* lost = row.mapping("lost")) {
        for (const source::Entry& one : lost->entries) check.lost[one.key] = one.value.text;
      }
    }
    if (check.findings.empty() == check.without.empty()) {
      row.wrong(entry.value.span, "a check has either `findings` or `without`");
    }
    row.finish(sources_);
    table_.checks[entry.key] = std::move(check);
  }

  RowReader file_;
  source::Diagnostics& diagnostics_;
  std::set<std::string> sources_;
  NhcTable table_;
};

}  // namespace

NhcTable load_nhc_table(const std::filesystem::path& folder) {
  NhcTable table;
  cluster::read_library_table(folder / "nhc.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                table = NhcReader(root, diagnostics).read();
                              });
  return table;
}

}  // namespace slipway::hosts
