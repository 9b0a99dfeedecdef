// What becomes of the options of job scripts outside Slurm.
#include "launcher/conversion/rules.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "launcher/cluster/row_reader.h"
#include "launcher/source/table.h"

namespace slipway::conversion {

Rules::Rules(const std::filesystem::path& catalogue, Format format, source::Sources& sources,
             source::Diagnostics& diagnostics)
    : format_(format) {
  const auto root = source::read_table(catalogue / "job_conversion.yaml", sources, diagnostics);
  if (!root) return;
  cluster::RowReader file(*root, "the file", diagnostics);
  for (const std::string& option : file.texts("kept")) {
    for (const char* program : {"sbatch", "srun", "launch"}) {
      rules_[fmt::format("{} {}", program, option)] = {Fate::kept, {}, {}};
    }
  }
  read(file, diagnostics);
  if (const source::Node* rows = file.sequence("programs")) {
    for (const source::Node& item : rows->items) {
      cluster::RowReader row(item, "a row of `programs`", diagnostics);
      const Rule rule{Fate::refused, in_words_of(format, row.text("why")), row.text("hint")};
      for (const std::string& name : row.texts("names")) programs_[name] = rule;
      row.finish();
    }
  }
  if (const source::Node* of_vertex = file.mapping("vertex")) {
    cluster::RowReader rows(*of_vertex, "`vertex`", diagnostics);
    if (format == Format::vertex) {
      read(rows, diagnostics);
      rows.finish();
    }
  }
  file.finish();
}

void Rules::read(cluster::RowReader& file, source::Diagnostics& diagnostics) {
  constexpr std::array fates = {std::pair{"no_effect", Fate::no_effect},
                                std::pair{"differs", Fate::differs},
                                std::pair{"refused", Fate::refused}};
  for (const auto& [key, fate] : fates) {
    const source::Node* rows = file.sequence(key);
    if (rows == nullptr) continue;
    for (const source::Node& item : rows->items) {
      cluster::RowReader row(item, fmt::format("a row of `{}`", key), diagnostics);
      const Rule rule{fate, in_words_of(format_, row.text("why")),
                      in_words_of(format_, row.optional_text("hint"))};
      std::vector<std::string> programs = row.optional_texts("on");
      if (programs.empty()) programs = {"sbatch", "srun"};
      for (const std::string& option : row.texts("options")) {
        for (const std::string& program : programs) {
          rules_[fmt::format("{} {}", program, option)] = rule;
        }
      }
      row.finish();
    }
  }
}

const Rule* Rules::find(std::string_view program, std::string_view option) const {
  const auto found = rules_.find(fmt::format("{} {}", program, option));
  return found == rules_.end() ? nullptr : &found->second;
}

const Rule* Rules::find_program(std::string_view name) const {
  const auto found = programs_.find(name);
  return found == programs_.end() ? nullptr : &found->second;
}

}  // namespace slipway::conversion
