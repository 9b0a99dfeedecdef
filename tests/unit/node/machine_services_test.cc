// Which services beside Slurm a machine runs.
#include "launcher/node/machine_services.h"

#include <map>
#include <string>

#include "tests/unit/catch.h"

using namespace slipway::node;

namespace {

std::string units(const std::string& role, const std::string& monitoring,
                  const std::string& policy = "") {
  std::map<std::string, std::string> files{{"slurm.conf", "ClusterName=c\n"}};
  if (!policy.empty()) files["health.yaml"] = policy;
  std::string text;
  for (const Service& service : wanted_services(role, monitoring, files)) {
    text += (text.empty() ? "" : " ") + service.unit;
  }
  return text;
}

}  // namespace

TEST_CASE("services beside Slurm: metrics are served on every machine, if at all") {
  CHECK(units("compute", "none").empty());
  CHECK(units("compute", "metrics") == "slipway-metrics.service");
  CHECK(units("login", "prometheus") == "slipway-metrics.service");
  CHECK(units("controller", "metrics") == "slipway-metrics.service");
}

TEST_CASE("services beside Slurm: the policy's are the controller's") {
  const std::string tell = "tell: {program: /usr/local/sbin/page}\n";
  const std::string deep = "deep_checks: {when: [boot]}\n";
  CHECK(units("controller", "none", tell) == "slipway-tell.service");
  CHECK(units("controller", "none", deep) == "slipway-admission.service");
  CHECK(units("controller", "metrics", tell + deep) ==
        "slipway-metrics.service slipway-tell.service slipway-admission.service");
  CHECK(units("compute", "none", tell + deep).empty());
}
