// What becomes of the options of job scripts outside Slurm: job_conversion.yaml of the catalogue.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "launcher/conversion/format.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {
class RowReader;
}

namespace slipway::conversion {

enum class Fate { kept, no_effect, differs, refused };

struct Rule {
  Fate fate = Fate::refused;
  std::string why, hint;
};

class Rules {
 public:
  // Problems with the file go to `diagnostics` (E0902).
  Rules(const std::filesystem::path& catalogue, Format format, source::Sources& sources,
        source::Diagnostics& diagnostics);

  // `program`: "sbatch", "srun" or "launch". nullptr for an option without a rule.
  const Rule* find(std::string_view program, std::string_view option) const;

  // Why a program cannot run there; nullptr if it can.
  const Rule* find_program(std::string_view name) const;

 private:
  // Reads the lists of rows of a mapping; they replace earlier rows of the same options.
  void read(cluster::RowReader& file, source::Diagnostics& diagnostics);

  Format format_;
  std::map<std::string, Rule, std::less<>> rules_;  // by "srun mpi"
  std::map<std::string, Rule, std::less<>> programs_;
};

}  // namespace slipway::conversion
