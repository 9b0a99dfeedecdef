// The plugin in slurmstepd, on a node of the job.
#include "spank-plugins/container/remote.h"

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/asked.h"
#include "spank-plugins/container/job_items.h"
#include "spank-plugins/container/ours.h"
#include "spank-plugins/container/step_start.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/printable.h"

namespace slipway::container::remote {
namespace {

// The state of this slurmstepd; tasks are forked from it and inherit a copy.
struct State {
  std::optional<Settings> settings;
  Asked asked;
  bool enabled = false;  // the job asks for a container
  std::string failure;   // why the tasks cannot start
  User user;
  StepId id;
  std::optional<StepStart> start;
  uint32_t ended_tasks = 0;
};

State state;

// Prints to the task's stderr, which belongs to the user: before that, there is nowhere to print.
void print_lines(const std::string& text) {
  std::string lines;
  for (const std::string& each : split(text, '\n')) {
    lines += "container: " + spank::printable(each) + "\n";
  }
  std::string_view left = lines;
  while (!left.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, left.data(), left.size());
    if (n > 0) {
      left.remove_prefix(static_cast<size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return;
    }
  }
}

void keep_failure(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    if (state.failure.empty()) state.failure = error.what();
  }
}

// `sbatch --export=NONE` keeps only SLURM_*, and Slurm's own variable for the option is not among
// them; this one is.
void take_options_of_job(const Environment& job) {
  for (const OptionRow& option : option_rows()) {
    std::string name = std::string("SLURM_SPANK__SLURM_SPANK_OPTION_container_") + option.name;
    for (char& c : name) {
      if (c == '-') c = '_';
    }
    const auto found = job.find(name);
    if (found != job.end()) state.asked.take(option, found->second.c_str());
  }
}

Environment job_environment(spank_t spank) {
  auto environment = spank::Handle(spank).environment();
  if (!environment) throw Error("cannot read the job's environment");
  return *std::move(environment);
}

void start_container(spank_t spank) {
  StepFacts facts;
  facts.settings = *state.settings;
  facts.request = state.asked.request();
  facts.user = state.user;
  facts.id = state.id;
  facts.job = job_environment(spank);
  facts.folder = std::filesystem::current_path();
  if (is_batch_script(state.id)) facts.batch_script = batch_script_of(spank);
  state.start.emplace(std::move(facts));
}

void change_variable(const spank::Handle& slurm, const std::string& name,
                     const std::optional<std::string>& value) {
  const spank::Status done = value ? slurm.setenv(name, *value) : slurm.unsetenv(name);
  if (!done) throw Error(fmt::format("cannot set {}: {}", name, done.text()));
}

Environment changed(Environment environment, const EnvironmentChanges& changes) {
  for (const auto& [name, value] : changes) {
    if (value) environment[name] = *value;
    if (!value) environment.erase(name);
  }
  return environment;
}

// Gives the task the container's environment, and moves it there.
void enter(spank_t spank, const Outcome& outcome) {
  const spank::Handle slurm(spank);
  const EnvironmentChanges changes =
      without_kept(outcome.changes, state.asked.request().environment, job_environment(spank));
  for (const auto& [name, value] : changes) change_variable(slurm, name, value);
  const Environment inherited = changed(job_environment(spank), changes);
  const Environment task = without_ours(inherited);
  for (const auto& [name, value] : changes_of(inherited, task)) change_variable(slurm, name, value);
  const Environment ours = task_variables(task);
  for (const auto& [name, value] : ours) change_variable(slurm, name, value);
  if (!ours.empty()) change_variable(slurm, ours_marker, list_of_ours(ours));
  if (!outcome.library_folder.empty()) {
    const auto path = task.find(library_path);
    change_variable(
        slurm, library_path,
        with_library_folder(path == task.end() ? "" : path->second, outcome.library_folder));
  }
  join(container_of(outcome));
}

}  // namespace

void begin(std::optional<Settings> settings, std::string wrong) {
  state = {};
  state.settings = std::move(settings);
  state.failure = std::move(wrong);
}

void take_option(const OptionRow& option, const char* value) {
  state.enabled = true;  // until prepare() knows, which it does unless this fails
  keep_failure([&] { state.asked.take(option, value); });
}

void prepare(spank_t spank) {
  if (state.enabled && !state.failure.empty()) return;
  keep_failure([&] {
    state.enabled = false;
    state.id = step_of(spank);
    if (is_extern_step(state.id)) return;
    const bool batch = is_batch_script(state.id);
    if (batch && state.settings && !state.settings->sbatch_support) return;
    const Environment job = job_environment(spank);
    if (batch && !state.asked.wants_container()) take_options_of_job(job);
    state.enabled = state.asked.wants_container() || job.contains("PYXIS_CONTAINER_IMAGE") ||
                    job.contains("PYXIS_CONTAINER_NAME");
    if (!state.enabled || !state.settings) return;
    const auto of_job = [&](const char* name) {
      const auto found = job.find(name);
      return found == job.end() ? std::nullopt : std::optional(found->second);
    };
    state.asked.take_lists(of_job);
    state.asked.take_variables(of_job);
    state.user = user_of(spank);
    make_user_folder(state.settings->runtime_path, state.user.uid, state.user.gid);
  });
}

void user_init(spank_t spank) {
  if (!state.enabled || !state.failure.empty()) return;
  keep_failure([&] { start_container(spank); });
}

bool task_init(spank_t spank) {
  if (!state.enabled) return true;
  const spank::Handle slurm(spank);
  const bool first = slurm.local_task_id() == 0U;
  if (state.start) {
    keep_failure([&] {
      const Outcome outcome = state.start->wait();
      if (first) {
        for (const std::string& note : outcome.notes) print_lines(note);
      }
      if (!outcome.error.empty()) throw Error(outcome.error);
      if (state.start->follow_task(local_task_count(spank), print_lines)) {
        change_variable(slurm, "SLURM_TASK_PID", std::to_string(::getpid()));
      }
      enter(spank, outcome);
    });
  }
  if (state.failure.empty()) return true;
  if (first) print_lines(state.failure);
  return false;
}

void task_exit(spank_t spank) {
  if (!state.start || ++state.ended_tasks != local_task_count(spank)) return;
  state.start->save();
  // srun ends when slurmstepd reports the end of the tasks, after this. What slurmstepd does later
  // would delay the job's next step, whose srun then asks again only after two minutes.
  finish();
}

void finish() {
  if (!state.start) return;
  StepStart start = *std::move(state.start);
  state.start.reset();
  start.finish();
}

}  // namespace slipway::container::remote
