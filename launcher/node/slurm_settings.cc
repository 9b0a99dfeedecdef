// Reads the settings in the text of slurm.conf.
#include "launcher/node/slurm_settings.h"


#include "common/text.h"

namespace slipway::node {
namespace {

}  // namespace

SlurmSettings settings_of(const std::map<std::string, std::string>& files) {
  SlurmSettings settings;
  const auto file = files.find("slurm.conf");
  if (file == files.end()) return settings;
  for (const std::string& line : split(file->second, '\n')) {
    const std::string text(trim(std::string_view(line).substr(0, line.find('#'))));
    const size_t equals = text.find('=');
    if (equals == text.npos) continue;
    const std::string key = to_lower(std::string(trim(text.substr(0, equals))));
    const std::string value(trim(std::string_view(text).substr(equals + 1)));
    if (key == "nodename") {
      settings.nodes.insert(value.substr(0, value.find(' ')));
    } else if (key != "partitionname" && key != "nodeset") {
      settings.values[key] += value + "\n";
    }
  }
  return settings;
}

}  // namespace slipway::node
