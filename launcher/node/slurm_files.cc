// Makes Slurm's files suit the Slurm of a machine.
#include "launcher/node/slurm_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/text.h"
#include "launcher/node/job_space.h"
#include "launcher/node/slurm_settings.h"

namespace slipway::node {
namespace {

// Removes the last line with the comment above it, which explains it, and the empty line above
// that.
void remove_explained_line(std::vector<std::string>& lines) {
  lines.pop_back();
  while (!lines.empty() && lines.back().starts_with('#')) lines.pop_back();
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
}

// Without NoAddrCache in the last line, which sets CommunicationParameters.
void remove_address_cache(std::vector<std::string>& lines, const std::string& value) {
  std::vector<std::string> kept = split(value, ',');
  const auto removed = std::erase_if(
      kept, [](const std::string& option) { return to_lower(option) == "noaddrcache"; });
  if (removed == 0) return;
  if (kept.empty()) {
    remove_explained_line(lines);
  } else {
    lines.back() = "CommunicationParameters=" + join(kept, ",");
  }
}

std::string slurm_conf_for(const std::string& text, const InstalledSlurm& slurm) {
  const bool has_cache_option = slurm.version < SlurmVersion{24, 11};
  std::vector<std::string> lines;
  for (std::string& line : split(text, '\n')) {
    const auto setting = setting_in(line);
    lines.push_back(std::move(line));
    if (!setting) continue;
    if (setting->key == "communicationparameters" && !has_cache_option) {
      remove_address_cache(lines, setting->value);
    }
    if (setting->key == "mpidefault" && setting->value == "pmix" && !slurm.has_pmix) {
      lines.back() = "# MpiDefault=pmix is left out: this Slurm has no mpi_pmix.so.";
    }
  }
  return join(lines, "\n");
}

}  // namespace

void suit_slurm_files(std::map<std::string, std::string>& files, const InstalledSlurm& slurm) {
  if (const auto file = files.find("job_container.conf"); file != files.end()) {
    file->second = job_container_conf_for(std::move(file->second), slurm.version);
  }
  if (const auto file = files.find("slurm.conf"); file != files.end()) {
    file->second = slurm_conf_for(file->second, slurm);
  }
  if (!slurm.has_pmix) files.erase("mpi.conf");
}

}  // namespace slipway::node
