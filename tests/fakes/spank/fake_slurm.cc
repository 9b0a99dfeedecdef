// A fake of Slurm's SPANK host.
#include "tests/fakes/spank/fake_slurm.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>

#include "tests/fakes/spank/said.h"

namespace {

using fake_slurm::capture_stderr;
using fake_slurm::read_reports;
using fake_slurm::report;

enum class Phase { init, after_options, user_init, task_init, job_script };

// The process into which the plugin is loaded.
struct Process {
  spank_context_t context = S_CTX_ERROR;
  Phase phase = Phase::init;
  std::vector<std::string> log;
  std::vector<spank_option> options;
  fake_slurm::Environment environment;
  std::vector<std::string> raw_environment;
  std::vector<char*> environment_pointers;
  uint32_t global_task_id = 0;
  int local_task_id = 0;
  fake_slurm::Place place;
  uint32_t job = 0;
  std::string option_of_job;
  uint32_t step = 0;
  std::vector<fake_slurm::JobRecord> answers;
  size_t questions = 0;
};

Process process;

long api_number = 0;  // of the Release that exists
unsigned running_version = 0;

constexpr auto success = static_cast<spank_err_t>(ESPANK_SUCCESS);  // spank.h defines it as an int

class Library {
 public:
  explicit Library(const fake_slurm::Plugin& plugin) : arguments_(plugin.arguments) {
    handle_ = ::dlopen(plugin.path.c_str(), RTLD_LAZY);
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
    const auto* type = static_cast<const char*>(::dlsym(handle_, "plugin_type"));
    if (type == nullptr || std::string(type) != "spank") throw std::runtime_error("not a plugin");
    const auto* version = static_cast<const unsigned*>(::dlsym(handle_, "plugin_version"));
    if (running_version != 0 && (version == nullptr || (*version ^ running_version) & 0xffff00))
      throw std::runtime_error("Incompatible Slurm plugin");
    for (std::string& argument : arguments_) words_.push_back(argument.data());
    words_.push_back(nullptr);
  }
  ~Library() { ::dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::string name() const { return static_cast<const char*>(::dlsym(handle_, "plugin_name")); }

  // Returns 0 if the plugin does not have this callback, as Slurm does.
  int call(const char* callback, Phase phase) {
    process.phase = phase;
    auto* function = reinterpret_cast<spank_f*>(::dlsym(handle_, callback));
    if (function == nullptr) return 0;
    return function(reinterpret_cast<spank_t>(&process), static_cast<int>(arguments_.size()),
                    words_.data());
  }

 private:
  std::vector<std::string> arguments_;
  std::vector<char*> words_;
  void* handle_ = nullptr;
};

// The variable with which sbatch and salloc pass an option to the job. Everything except letters
// and digits becomes an underscore.
std::string option_variable(const std::string& plugin_name, const std::string& option_name) {
  std::string name = "SLURM_SPANK__SLURM_SPANK_OPTION_" + plugin_name + "_" + option_name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr const char* gpus_variable = "SLURM_STEP_GPUS";

// Runs a task in a fork, so that tasks do not see each other's changes and a plugin may end its
// process.
fake_slurm::Task run_task(Library& library, fake_slurm::Step& step) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  fake_slurm::Task task;
  std::vector<std::string> reports;
  task.errors = capture_stderr([&] {
    const pid_t child = ::fork();
    if (child == 0) {
      for (const auto& [name, value] : process.place.image) process.environment[name] = value;
      if (process.place.gpus) process.environment[gpus_variable] = "0,1";
      const size_t logged = process.log.size();
      const auto begin = Clock::now();
      bool failed = library.call("slurm_spank_task_init_privileged", Phase::task_init) != 0;
      failed = library.call("slurm_spank_task_init", Phase::task_init) != 0 || failed;
      report(ends[1], "took " + std::to_string(since(begin)));
      report(ends[1], failed ? "failed" : "started");
      for (size_t i = logged; i < process.log.size(); ++i) report(ends[1], "log " + process.log[i]);
      for (const auto& [name, value] : process.environment) report(ends[1], name + "=" + value);
      ::_exit(0);
    }
    ::close(ends[1]);
    reports = read_reports(ends[0]);  // before waiting, as a long environment does not fit into a
                                      // pipe
    ::waitpid(child, nullptr, 0);
  });
  ::close(ends[0]);
  task.started = !reports.empty();
  for (const std::string& text : reports) {
    if (text == "failed") step.failed = true;
    if (text.starts_with("took ")) task.seconds = std::stod(text.substr(5));
    if (text.starts_with("log ")) process.log.push_back(text.substr(4));
    const size_t equals = text.find('=');
    if (text.starts_with("log ") || equals == std::string::npos) continue;
    if (text.substr(0, equals) == gpus_variable) continue;
    task.environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return task;
}

// A value of the plugin's first option, or "--name" of one without a value.
struct Given {
  const spank_option* option = nullptr;
  const char* value = nullptr;
};

Given find_option(const std::string& text) {
  if (process.options.empty()) throw std::runtime_error("the plugin has no option");
  if (!text.starts_with("--")) return {&process.options.front(), text.c_str()};
  for (const spank_option& option : process.options) {
    if (text.substr(2) != option.name) continue;
    if (option.has_arg != 0) throw std::runtime_error(text + " takes a value");
    return {&option, nullptr};
  }
  throw std::runtime_error("the plugin has no option " + text);
}

bool in_remote() {
  return process.context == S_CTX_REMOTE;
}

}  // namespace

extern "C" {

spank_context_t spank_context() {
  return process.context;
}

const char* spank_strerror(spank_err_t code) {
  return code == ESPANK_SUCCESS ? "Success" : "Slurm said no";
}

spank_err_t spank_option_register(spank_t, spank_option* option) {
  if (process.phase != Phase::init) return ESPANK_BAD_ARG;
  process.options.push_back(*option);
  return success;
}

spank_err_t spank_option_getopt(spank_t, spank_option* option, char** value) {
  if (process.phase != Phase::job_script) return ESPANK_NOT_AVAIL;
  if (option == nullptr || option->name == nullptr) return ESPANK_BAD_ARG;
  if (process.option_of_job.empty()) return ESPANK_ERROR;
  *value = process.option_of_job.data();
  return success;
}

// spank.h declares an enum before the dots, which is promoted to int.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wvarargs"
#endif
spank_err_t spank_get_item(spank_t, spank_item_t item, ...) {
  va_list list;
  va_start(list, item);
  void* target = va_arg(list, void*);
  va_end(list);
  if (item == S_JOB_ID && process.context == S_CTX_JOB_SCRIPT) {
    *static_cast<uint32_t*>(target) = process.job;
    return success;
  }
  if (process.context == S_CTX_LOCAL && process.phase == Phase::user_init &&
      (item == S_JOB_ID || item == S_JOB_STEPID)) {
    *static_cast<uint32_t*>(target) = item == S_JOB_ID ? process.job : process.step;
    return success;
  }
  if (!in_remote()) return ESPANK_NOT_REMOTE;
  if (item == S_TASK_GLOBAL_ID || item == S_TASK_ID) {
    if (process.phase != Phase::task_init) return ESPANK_NOT_TASK;
    if (item == S_TASK_ID) {
      *static_cast<int*>(target) = process.local_task_id;
    } else {
      *static_cast<uint32_t*>(target) = process.global_task_id;
    }
    return success;
  }
  if (item == S_JOB_NNODES || item == S_JOB_NODEID) {
    const fake_slurm::Place& place = process.place;
    *static_cast<uint32_t*>(target) = item == S_JOB_NNODES ? place.nodes : place.node;
    return success;
  }
  if (item != S_JOB_ENV) return ESPANK_BAD_ARG;
  process.raw_environment.clear();
  process.environment_pointers.clear();
  for (const auto& [name, value] : process.environment) {
    process.raw_environment.push_back(name + "=" + value);
  }
  for (std::string& line : process.raw_environment) {
    process.environment_pointers.push_back(line.data());
  }
  process.environment_pointers.push_back(nullptr);
  *static_cast<char***>(target) = process.environment_pointers.data();
  return success;
}

spank_err_t spank_setenv(spank_t, const char* name, const char* value, int overwrite) {
  if (!in_remote()) return ESPANK_NOT_REMOTE;
  if (!overwrite && process.environment.contains(name)) return ESPANK_ENV_EXISTS;
  process.environment[name] = value;
  return success;
}

spank_err_t spank_unsetenv(spank_t, const char* name) {
  if (!in_remote()) return ESPANK_NOT_REMOTE;
  process.environment.erase(name);
  return success;
}

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
int slurm_load_job(job_info_msg_t** answer, uint32_t job, uint16_t) {
#else
int(slurm_load_job)(job_info_msg_t** answer, slurm_step_id_t id, uint16_t) {
  const uint32_t job = id.job_id;
#endif
  const size_t question = process.questions++;
  if (job != process.job || process.answers.empty()) return SLURM_ERROR;
  const auto& record = process.answers[std::min(question, process.answers.size() - 1)];
  *answer = new job_info_msg_t{};
  (*answer)->record_count = 1;
  (*answer)->job_array = new slurm_job_info_t{};
  (*answer)->job_array->job_state = record.state;
  (*answer)->job_array->state_reason = static_cast<uint16_t>(record.reason);
  return SLURM_SUCCESS;
}

void slurm_free_job_info_msg(job_info_msg_t* answer) {
  delete answer->job_array;
  delete answer;
}

long slurm_api_version() {
  return api_number << 16;
}

void slurm_error(const char* format, ...) {
  char line[4096];
  va_list list;
  va_start(list, format);
  std::vsnprintf(line, sizeof line, format, list);
  va_end(list);
  process.log.push_back(line);
}

}  // extern "C"

namespace fake_slurm {

Release::Release(long api, unsigned version) {
  api_number = api;
  running_version = version;
}

Release::~Release() {
  api_number = 0;
  running_version = 0;
}

Submission submit(spank_context_t context, const Plugin& plugin, const OptionValues& values) {
  process = {};
  process.context = context;
  Library library(plugin);
  Submission submission;
  const auto run = [&] {
    if (library.call("slurm_spank_init", Phase::init) != 0 || process.options.empty()) return false;
    std::map<std::string, std::string> last;  // of each option
    for (const std::string& text : values) {
      process.phase = Phase::after_options;
      const Given given = find_option(text);
      if (given.option->cb(given.option->val, given.value, 0) != 0) return false;
      last[given.option->name] = text;
      submission.kept[option_variable(library.name(), given.option->name)] =
          given.value == nullptr ? "" : given.value;
    }
    for (const auto& [name, text] : last) submission.inherited.push_back(text);
    if (library.call("slurm_spank_init_post_opt", Phase::after_options) != 0) return false;
    return context != S_CTX_LOCAL ||
           library.call("slurm_spank_local_user_init", Phase::user_init) == 0;
  };
  submission.accepted = run();
  library.call("slurm_spank_exit", Phase::after_options);
  submission.log = process.log;
  return submission;
}

Step run_step(const Plugin& plugin, const Environment& environment, const OptionValues& values,
              int task_count, int first_task, const Place& place) {
  process = {};
  process.context = S_CTX_REMOTE;
  process.place = place;
  process.environment = environment;
  Library library(plugin);
  Step step;
  const auto call = [&](const char* callback, Phase phase) {
    if (library.call(callback, phase) != 0) step.failed = true;
  };
  const auto begin = Clock::now();
  call("slurm_spank_init", Phase::init);
  for (const std::string& value : values) {
    process.phase = Phase::after_options;
    const Given given = find_option(value);
    if (given.option->cb(given.option->val, given.value, 1) != 0) step.failed = true;
  }
  call("slurm_spank_init_post_opt", Phase::after_options);
  call("slurm_spank_user_init", Phase::user_init);
  step.seconds = since(begin);
  for (int i = 0; i < task_count; ++i) {
    process.global_task_id = static_cast<uint32_t>(first_task + i);
    process.local_task_id = i;
    step.tasks.push_back(run_task(library, step));
  }
  call("slurm_spank_task_exit", Phase::task_init);
  call("slurm_spank_exit", Phase::after_options);
  step.log = process.log;
  return step;
}

Launch launch(const Plugin& plugin, uint32_t step, const std::vector<JobRecord>& answers) {
  process = {};
  process.context = S_CTX_LOCAL;
  process.job = 7;
  process.step = step;
  process.answers = answers;
  Library library(plugin);
  Launch launch;
  launch.failed = library.call("slurm_spank_local_user_init", Phase::user_init) != 0;
  launch.questions = process.questions;
  launch.log = process.log;
  return launch;
}

JobScript run_job_script(const Plugin& plugin, const char* callback, uint32_t job,
                         const std::string& option) {
  process = {};
  process.context = S_CTX_JOB_SCRIPT;
  process.job = job;
  process.option_of_job = option;
  Library library(plugin);
  JobScript script;
  script.failed = library.call(callback, Phase::job_script) != 0;
  script.log = process.log;
  return script;
}

std::vector<std::string> start_slurmd(const Plugin& plugin) {
  process = {};
  process.context = S_CTX_SLURMD;
  Library library(plugin);
  library.call("slurm_spank_init", Phase::init);
  library.call("slurm_spank_slurmd_exit", Phase::after_options);
  return process.log;
}

}  // namespace fake_slurm
