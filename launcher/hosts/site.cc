// Reads a site's own Slurm configuration.
#include "launcher/hosts/site.h"

#include <strings.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::hosts {

std::string slurm_value(const std::string& text, const std::string& key) {
  std::string value, whole;
  for (const std::string& part : split(text + "\n", '\n')) {
    whole += part;
    if (whole.ends_with('\\')) {
      whole.pop_back();
      continue;
    }
    const std::string line(trim(whole.substr(0, whole.find('#'))));
    whole.clear();
    const size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    if (::strcasecmp(std::string(trim(line.substr(0, equals))).c_str(), key.c_str()) != 0) continue;
    value = trim(std::string_view(line).substr(equals + 1));
  }
  return value;
}

ClusterName find_cluster_name(const health::Machine& machine) {
  for (const char* file :
       {"/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf", "/etc/slurm-llnl/slurm.conf",
        "/var/spool/slurmd/conf-cache/slurm.conf"}) {
    const auto text = machine.read(file);
    if (!text) continue;
    const std::string name = slurm_value(*text, "ClusterName");
    if (!name.empty()) return {name, file};
  }
  throw Error("no slurm.conf here names the cluster; say it with --cluster NAME");
}

}  // namespace slipway::hosts
