// Writes the prepared form of a folder's tables (table.h) when Slipway is built:
// prepare_tables FOLDER FILE DEPFILE
#include <algorithm>

#include "common/command_line.h"
#include "common/file.h"
#include "launcher/source/table.h"

using namespace slipway;

namespace {

int prepare(const std::filesystem::path& folder, const std::string& file,
            const std::string& depfile) {
  std::vector<std::filesystem::path> tables;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") tables.push_back(entry.path());
  }
  std::ranges::sort(tables);
  std::string needed = file + ":";
  for (const auto& table : tables) needed += " " + table.string();
  write_file(file, source::prepare_tables(tables));
  write_file(depfile, needed + "\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return run_main("prepare_tables", [&args] {
    std::string folder, file, depfile;
    CommandLine line("prepare_tables", "Prepare tables for reading: a part of the build.");
    line.positional("FOLDER", &folder);
    line.positional("FILE", &file);
    line.positional("DEPFILE", &depfile);
    return line.parse(args) ? prepare(folder, file, depfile) : 0;
  });
}
