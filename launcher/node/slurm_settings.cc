// Reads the settings in the text of slurm.conf.
#include "launcher/node/slurm_settings.h"

#include "common/text.h"

namespace slipway::node {

std::optional<SlurmSetting> setting_in(std::string_view line) {
  const std::string_view text = trim(line.substr(0, line.find('#')));
  const size_t equals = text.find('=');
  if (equals == text.npos) return std::nullopt;
  return SlurmSetting{to_lower(std::string(trim(text.substr(0, equals)))),
                      std::string(trim(text.substr(equals + 1)))};
}

std::string SlurmSettings::value(const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

SlurmSettings settings_of(const std::map<std::string, std::string>& files) {
  SlurmSettings settings;
  const auto file = files.find("slurm.conf");
  if (file == files.end()) return settings;
  for (const std::string& line : split(file->second, '\n')) {
    const auto setting = setting_in(line);
    if (!setting) continue;
    if (setting->key == "nodename") {
      settings.nodes.insert(setting->value.substr(0, setting->value.find(' ')));
    } else if (setting->key != "partitionname" && setting->key != "nodeset") {
      const auto [known, is_new] = settings.values.try_emplace(setting->key, setting->value);
      if (!is_new) known->second += "\n" + setting->value;
    }
  }
  return settings;
}

}  // namespace slipway::node
