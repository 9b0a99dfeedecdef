// nccl_env in the command that the user runs.
#include "spank-plugins/nccl_env/submission.h"

#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>

#include <optional>
#include <string>

#include "common/error.h"
#include "common/transport_stock.h"
#include "spank-plugins/nccl_env/decide.h"
#include "spank-plugins/nccl_env/resolve.h"
#include "spank-plugins/nccl_env/settings.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/handle.h"

namespace slipway::nccl_env::submission {

namespace {

void change(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    ::setenv(name.c_str(), value->c_str(), /*overwrite=*/1);
  } else {
    ::unsetenv(name.c_str());
  }
}

// What the options of this command, or of the job that it belongs to, ask for.
Asked asked;

}  // namespace

void begin(Mode default_mode) {
  asked = {default_mode, false};
  // Slurm provides no environment here: it is the process's own.
  const Environment environment = spank::read_environment(::environ);
  const Resolution resolution = take_back(environment);
  for (const Decision& decision : resolution.decisions) change(decision.name, decision.value);
  change(marker_name, resolution.marker);
  for (const auto& [name, value] : environment) {
    if (name.starts_with(users_prefix)) change(name, std::nullopt);
  }
  const auto stock = load_transport_stock();
  change(digest_name, stock ? std::optional(stock->digest) : std::nullopt);
}

int take_option(const char* value) {
  try {
    asked.mode = parse_mode(value, "--nccl-env");
    return 0;
  } catch (const Error& error) {
    spank::log_error(error.what());
    return -1;
  }
}

void take_watch() {
  asked.watch = true;
}

void after_options() {
  if (!asked.watch || (asked.mode != Mode::off && asked.mode != Mode::warn)) return;
  spank::log_error(fmt::format("--nccl-watch has no effect here, as --nccl-env is `{}`",
                               asked.mode == Mode::off ? "off" : "warn"));
}

}  // namespace slipway::nccl_env::submission
