// Starts a container as slurmstepd does, and runs a command in it as a task.
//
//   container_driver KEEPER [option…] -- command…
//   image=PATH mount=SRC:DST[:FLAG+FLAG] workdir=PATH changes=PATH script=PATH save=FILE log=FILE
//   node=FOLDER (with a file `plugin`) unshare=NAME job=NAME=VALUE wins=NAME user=ID (before
//   anything else, as slurmstepd: root stays the saved id) tasks=N patience=SECONDS home remap
//   writable entrypoint kernel loiter
//
// The command sees its environment as the plugin would set it. Exit status: the last task's; 99 for
// an error of the runtime, whose text goes to stderr.
#include <fmt/core.h>
#include <grp.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/child.h"
#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "spank-plugins/container/runtime.h"

namespace {

using namespace slipway;
using namespace slipway::container;

struct Driven {
  ContainerPlan plan;
  std::string save;
  uid_t user = 0;
  int tasks = 1;
  bool loiter = false;
  std::vector<std::string> command;
};

MountRequest mount_of(const std::string& text) {
  const std::vector<std::string> part = split(text, ':');
  return {part[0], part.size() > 1 ? part[1] : part[0],
          part.size() > 2 ? split(part[2], '+') : std::vector<std::string>{}};
}

bool take_flag(const std::string& word, Driven& driven) {
  for (const auto& [name, flag] :
       {std::pair("home", &driven.plan.mount_home), std::pair("remap", &driven.plan.remap_root),
        std::pair("writable", &driven.plan.writable),
        std::pair("entrypoint", &driven.plan.entrypoint),
        std::pair("kernel", &driven.plan.kernel_images), std::pair("loiter", &driven.loiter)}) {
    if (word != name) continue;
    *flag = true;
    return true;
  }
  return false;
}

void take_value(const std::string& name, const std::string& value, Driven& driven) {
  ContainerPlan& plan = driven.plan;
  if (name == "image") plan.image = value;
  if (name == "mount") plan.mounts.push_back(mount_of(value));
  if (name == "workdir") plan.workdir = value;
  if (name == "changes") plan.changes = value;
  if (name == "script") plan.batch_script = value;
  if (name == "save") driven.save = value;
  if (name == "log") plan.entrypoint_log = value;
  if (name == "unshare") plan.unshared.push_back(value);
  if (name == "wins") plan.job_wins.push_back(value);
  if (name == "user") driven.user = to_number<uid_t>(value).value_or(0);
  if (name == "patience") plan.patience = std::chrono::seconds(to_number<int>(value).value_or(1));
  if (name == "node") plan.node_folders.push_back({value, value + "/plugin"});
  if (name == "tasks") driven.tasks = to_number<int>(value).value_or(1);
  if (name == "job") {
    const size_t equals = value.find('=');
    plan.job[value.substr(0, equals)] = value.substr(equals + 1);
  }
}

Driven understand(int argc, char** argv) {
  Driven driven;
  driven.plan.keeper = argv[1];
  int i = 2;
  for (; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    if (take_flag(word, driven)) continue;
    if (equals == std::string::npos) throw Error("what is `" + word + "`?");
    take_value(word.substr(0, equals), word.substr(equals + 1), driven);
  }
  for (++i; i < argc; ++i) driven.command.push_back(argv[i]);
  return driven;
}

// What slurmstepd does before it calls plugins for the user.
void drop_privileges(uid_t user) {
  if (user == 0) return;
  if (::setgroups(0, nullptr) != 0 || ::setegid(user) != 0 || ::seteuid(user) != 0) {
    throw_errno("cannot become the user");
  }
}

[[noreturn]] void run_task(const Container& container, Driven& driven, int number) {
  try {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::setresgid(group, group, group) != 0 || ::setresuid(user, user, user) != 0) {
      throw_errno("cannot give up root");
    }
    join(container);
    Environment task = container.environment;
    task["SLURM_LOCALID"] = std::to_string(number);
    for (const auto& [name, value] : task_variables(task)) task[name] = value;
    if (!container.library_folder.empty()) {
      std::string& path = task[library_path];
      path = with_library_folder(path, container.library_folder);
    }
    std::vector<std::string> variables;
    for (const auto& [name, value] : task) variables.push_back(name + "=" + value);
    ::execvpe(driven.command[0].c_str(), pointers(driven.command).data(),
              pointers(variables).data());
    throw_errno("cannot execute " + driven.command[0]);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    std::fflush(stderr);
    ::_exit(99);
  }
}

int drive(Driven& driven) {
  drop_privileges(driven.user);
  Container container = start(driven.plan);
  for (const std::string& note : container.notes) fmt::print(stderr, "{}\n", note);
  std::vector<pid_t> tasks;
  for (int i = 0; i < driven.tasks; ++i) {
    tasks.push_back(fork_child("a task"));
    if (tasks.back() == 0) run_task(container, driven, i);
  }
  int status = 0;
  for (const pid_t task : tasks) status = exit_code_of(wait_for_child(task));
  if (driven.loiter) {  // until the test kills us, as if slurmstepd crashed
    fmt::print("keeper {}\n", container.keeper);
    std::fflush(stdout);
    for (;;) ::pause();
  }
  if (!driven.save.empty()) save(container, driven.save);
  stop(container);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Driven driven = understand(argc, argv);
    return drive(driven);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 99;
  }
}
