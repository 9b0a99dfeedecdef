// Reads host_packages.yaml of the catalogue.
#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/hosts/host_packages.h"

namespace slipway::hosts {
namespace {

using cluster::RowReader;

class PackagesReader {
 public:
  PackagesReader(const source::Node& root, source::Diagnostics& diagnostics)
      : file_(root, "the file", diagnostics), diagnostics_(diagnostics) {}

  PackageTable read() {
    const std::set<std::string> sources = file_.keys("sources");
    if (const source::Node* families = file_.mapping("families")) {
      for (const source::Entry& entry : families->entries) read_family(entry, sources);
    }
    if (const source::Node* programs = file_.mapping("programs")) {
      RowReader row(*programs, "`programs`", diagnostics_);
      table_.programs = row.texts("slipway");
      row.finish(sources);
    }
    file_.finish();
    return std::move(table_);
  }

 private:
  void read_family(const source::Entry& entry, const std::set<std::string>& sources) {
    RowReader row(entry.value, "family `" + entry.key + "`", diagnostics_);
    PackageTable::Family family;
    family.name = entry.key;
    family.of = row.texts("of");
    family.query = row.text("query");
    family.update = row.text("update");
    family.install = row.text("install");
    family.ending = row.text("ending");
    family.slipway = row.texts("slipway");
    if (const source::Node* packages = row.mapping("packages")) {
      RowReader roles(*packages, "`packages` of family `" + entry.key + "`", diagnostics_);
      for (const char* role : {"all", "controller", "login", "compute"}) {
        family.packages[role] = roles.optional_texts(role);
      }
      roles.finish();
    }
    row.finish(sources);
    table_.families.push_back(std::move(family));
  }

  RowReader file_;
  source::Diagnostics& diagnostics_;
  PackageTable table_;
};

}  // namespace

PackageTable load_package_table(const std::filesystem::path& catalogue) {
  PackageTable table;
  cluster::read_library_table(catalogue / "host_packages.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                table = PackagesReader(root, diagnostics).read();
                              });
  return table;
}

}  // namespace slipway::hosts
