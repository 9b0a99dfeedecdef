// Checks the node in the prolog and epilog of a job.
#include "spank-plugins/node_health/stage.h"

#include <stdlib.h>

#include <fmt/core.h>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/job_script.h"

namespace slipway::node_health {
namespace {

constexpr int unfit = 3;  // exit status of `slipway health`, used for nothing else

int take_option(int, const char* value, int remote) {
  return spank::guarded("option ignored", [&] {
    try {
      parse_choice(value);
    } catch (const Error& error) {
      spank::log_error(error.what());
      return remote ? 0 : -1;  // a value that sbatch accepted must not fail the job
    }
    return 0;
  });
}

std::vector<std::string> command_of(spank_t spank, const char* stage, const Arguments& arguments) {
  std::vector<std::string> argv = {arguments.program.string(), "health", "--stage", stage, "--act"};
  const auto choice = spank::option_of_job(spank, health_option);
  if (choice == "skip") argv.emplace_back("--skip-asked");
  return argv;
}

}  // namespace

const spank::Option health_option = {option_name, option_values, option_help, take_option};

bool node_is_fit(spank_t spank, const char* stage, const Arguments& arguments) {
  if (const auto id = spank::job_id(spank)) {
    ::setenv("SLURM_JOB_ID", std::to_string(*id).c_str(), 1);
  }
  if (const auto user = spank::job_user(spank)) {
    ::setenv("SLURM_JOB_UID", std::to_string(*user).c_str(), 1);
  }
  ProcessOptions options;
  options.deadline = arguments.deadline;
  const ProcessResult result = run_process(command_of(spank, stage, arguments), options);
  if (result.ok()) return true;
  if (result.timed_out) {
    spank::log_error(fmt::format("the {} checks took longer than {} s and were killed", stage,
                                 arguments.deadline.count()));
    return true;
  }
  const std::string words(trim(result.exit_code == unfit ? result.output : result.errors));
  if (result.exit_code == unfit) {
    spank::log_error(words);
    return false;
  }
  spank::log_error(fmt::format("the {} checks did not run (exit status {}): {}", stage,
                               result.exit_code, words));
  return true;
}

}  // namespace slipway::node_health
