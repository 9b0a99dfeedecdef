// Reads the settings in the text of slurm.conf, and leaves some out.
#include "launcher/node/slurm_settings.h"

#include <optional>
#include <utility>
#include <vector>

#include "common/text.h"

namespace slipway::node {
namespace {

// A setting outside node and partition lines, as it is written.
struct Setting {
  std::string key;  // in lower case
  std::string value;
};

std::optional<Setting> setting_in(std::string_view line) {
  const std::string_view text = trim(line.substr(0, line.find('#')));
  const size_t equals = text.find('=');
  if (equals == text.npos) return std::nullopt;
  return Setting{to_lower(std::string(trim(text.substr(0, equals)))),
                 std::string(trim(text.substr(equals + 1)))};
}

// Removes the last line with the comment above it, which explains it, and the empty line above
// that.
void remove_explained_line(std::vector<std::string>& lines) {
  lines.pop_back();
  while (!lines.empty() && lines.back().starts_with('#')) lines.pop_back();
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
}

}  // namespace

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
      settings.values[setting->key] += setting->value + "\n";
    }
  }
  return settings;
}

std::string slurm_conf_for(std::string text, const SlurmVersion& version) {
  if (version < SlurmVersion{24, 11}) return text;
  std::vector<std::string> lines;
  for (std::string& line : split(text, '\n')) {
    const auto setting = setting_in(line);
    lines.push_back(std::move(line));
    if (!setting || setting->key != "communicationparameters") continue;
    std::vector<std::string> kept = split(setting->value, ',');
    if (std::erase_if(kept, [](const std::string& option) {
          return to_lower(option) == "noaddrcache";
        }) == 0) {
      continue;
    }
    if (kept.empty()) {
      remove_explained_line(lines);
    } else {
      lines.back() = "CommunicationParameters=" + join(kept, ",");
    }
  }
  return join(lines, "\n");
}

}  // namespace slipway::node
