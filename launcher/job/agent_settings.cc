// What a launcher tells its agents through their environment.
#include "launcher/job/agent_settings.h"

#include <fmt/core.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "common/environment.h"
#include "common/error.h"
#include "common/text.h"

namespace slipway::job {
namespace {

using std::chrono::milliseconds;

constexpr const char* launcher_variable = "SLIPWAY_LAUNCHER";           // host:port
constexpr const char* key_variable = "SLIPWAY_LAUNCH_KEY";              // 64 hexadecimal digits
constexpr const char* mpi_variable = "SLIPWAY_LAUNCH_MPI";              // pmix or none
constexpr const char* restarts_variable = "SLIPWAY_LAUNCH_RESTARTS";    // of the job
constexpr const char* ledger_variable = "SLIPWAY_LAUNCH_LEDGER";        // absolute path
constexpr const char* heartbeat_variable = "SLIPWAY_LAUNCH_HEARTBEAT";  // seconds

constexpr const char* checkpoints_variable = "SLIPWAY_LAUNCH_CHECKPOINTS";  // bytes; empty: none
constexpr const char* joins_variable = "SLIPWAY_LAUNCH_JOINS";              // not empty: yes
constexpr const char* container_variable = "SLIPWAY_LAUNCH_CONTAINER";  // absolute path, or empty

std::string required(const char* name) {
  std::string value = environment_variable(name);
  if (value.empty())
    throw Error(fmt::format("{} is not set: only `slipway launch` starts agents", name));
  return value;
}

int64_t number_of(const char* name, int64_t otherwise) {
  return to_number<int64_t>(environment_variable(name)).value_or(otherwise);
}

Orphan orphan_from_environment() {
  const std::string where = required(launcher_variable);
  const size_t colon = where.rfind(':');
  const auto port = colon == where.npos ? std::nullopt
                                        : to_number<int>(std::string_view(where).substr(colon + 1));
  if (!port) throw Error(fmt::format("`{}` is not a host and a port", where));
  Orphan orphan;
  orphan.run = {required("SLURM_JOB_ID"), number_of(restarts_variable, 0)};
  orphan.launcher = where.substr(0, colon);
  orphan.port = *port;
  orphan.node = environment_variable("SLURMD_NODENAME");
  orphan.index = number_of("SLURM_NODEID", 0);
  orphan.nodes = number_of("SLURM_STEP_NUM_NODES", 1);
  orphan.ledger = required(ledger_variable);
  orphan.joins = !environment_variable(joins_variable).empty();
  return orphan;
}

Secret key_in_environment() {
  const auto key = secret_from_hex(required(key_variable));
  if (!key) throw Error(fmt::format("{} is not a key of 64 hexadecimal digits", key_variable));
  return *key;
}

milliseconds heartbeat_in_environment() {
  const auto seconds = to_number<double>(required(heartbeat_variable));
  if (!seconds) throw Error(fmt::format("{} is not a number of seconds", heartbeat_variable));
  return milliseconds(static_cast<int64_t>(*seconds * 1000));
}

}  // namespace

Variables agent_variables(const AgentSettings& settings) {
  const Orphan& orphan = settings.orphan;
  return {{launcher_variable, fmt::format("{}:{}", orphan.launcher, orphan.port)},
          {key_variable, to_hex(settings.key)},
          {mpi_variable, settings.with_pmix ? "pmix" : "none"},
          {restarts_variable, std::to_string(orphan.run.restarts)},
          {ledger_variable, orphan.ledger.native()},
          {container_variable, settings.container.native()},
          {joins_variable, orphan.joins ? "1" : ""},
          {checkpoints_variable,
           settings.with_checkpoints ? std::to_string(settings.checkpoint_bytes) : ""},
          {heartbeat_variable,
           fmt::format("{}", static_cast<double>(settings.heartbeat.count()) / 1000)}};
}

AgentSettings take_agent_settings() {
  AgentSettings settings;
  settings.heartbeat = heartbeat_in_environment();
  settings.orphan = orphan_from_environment();
  settings.key = key_in_environment();
  settings.with_pmix = required(mpi_variable) == "pmix";
  settings.container = environment_variable(container_variable);
  settings.with_checkpoints = !environment_variable(checkpoints_variable).empty();
  settings.checkpoint_bytes = number_of(checkpoints_variable, 0);
  for (const char* name :
       {launcher_variable, key_variable, mpi_variable, restarts_variable, ledger_variable,
        container_variable, checkpoints_variable, heartbeat_variable, joins_variable})
    ::unsetenv(name);
  return settings;
}

}  // namespace slipway::job
