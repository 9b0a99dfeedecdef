// The keeper: the program that makes a container and holds it until slurmstepd lets go of it.
//
// runtime.cc starts it as the job's user, with the plan, the connection to slurmstepd and a file
// for the answer as open descriptors. It is a program of its own, so that the user who may look
// into it finds nothing of slurmstepd's memory.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/entrypoint.h"
#include "spank-plugins/container/joined_lock.h"
#include "spank-plugins/container/own_namespaces.h"
#include "spank-plugins/container/plan_text.h"
#include "spank-plugins/container/root.h"
#include "spank-plugins/container/slurmstepd_line.h"
#include "spank-plugins/container/user_namespace.h"

namespace slipway::container {
namespace {

constexpr const char* default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

int namespaces_of(const ContainerPlan& plan) {
  int all = CLONE_NEWUSER | CLONE_NEWNS;
  for (const std::string& word : plan.unshared) {
    const int flag = namespace_of(word);
    if (flag == 0) throw Error(fmt::format("cannot unshare `{}`", word));
    all |= flag;
  }
  return all;
}

// In the outer namespace, the user is root; real root is everybody.
IdMaps outer_ids(bool real_root, uid_t uid, gid_t gid) {
  return real_root ? all_ids() : one_id(0, uid, 0, gid);
}

IdMaps inner_ids(bool real_root, bool remap_root, uid_t uid, gid_t gid) {
  if (real_root) return all_ids();
  return remap_root ? one_id(0, 0, 0, 0) : one_id(uid, 0, gid, 0);
}

// What enroot passes to /etc/rc and the hooks of the job's variables.
Environment base_environment(const ContainerPlan& plan) {
  const std::vector<std::string> prefixes = {
      "HOME=",        "TERM=",       "NVIDIA_VISIBLE_DEVICES=", "NVIDIA_DRIVER_CAPABILITIES=",
      "SLURM_JOB_",   "SLURM_STEP_", "SLURM_MPI_TYPE=",         "SLURM_NODELIST=",
      "SLURM_NTASKS="};
  Environment base;
  for (const auto& variable : plan.job) {
    const std::string& name = variable.first;
    const auto begins = [&](const std::string& prefix) { return (name + "=").starts_with(prefix); };
    const bool wins = std::ranges::find(plan.job_wins, name) != plan.job_wins.end();
    if (wins || std::ranges::any_of(prefixes, begins)) base.insert(variable);
  }
  return base;
}

// A job with --export=NONE has no HOME. enroot's hooks 10-home and 10-environ set it then.
void add_home(Environment& environment, const std::string& home) {
  const auto found = environment.find("HOME");
  if ((found == environment.end() || found->second.empty()) && !home.empty()) {
    environment["HOME"] = home;
  }
}

// The environment of the image's own making: what /etc/rc starts with.
Environment container_environment(const ContainerPlan& plan, const Environment& image,
                                  const std::string& home) {
  Environment all = merged(base_environment(plan), image, plan.job_wins);
  if (plan.remap_root && !image.contains("HOME")) all["HOME"] = home;
  add_home(all, home);
  all.try_emplace("PATH", default_path);
  return all;
}

// The shell sets these for itself; they say nothing about the container.
void drop_shell_variables(Environment& environment) {
  for (const char* name : {"_", "PWD", "OLDPWD", "SHLVL"}) environment.erase(name);
}

ino_t mount_namespace_of(const std::string& process) {
  struct stat info = {};
  return ::stat(("/proc/" + process + "/ns/mnt").c_str(), &info) == 0 ? info.st_ino : 0;
}

// Kills the processes of the container once. Returns whether there were any.
bool kill_others() {
  const ino_t ours = mount_namespace_of("self");
  const std::string self = std::to_string(::getpid());
  bool found = false;
  DIR* const all = ::opendir("/proc");
  if (all == nullptr) return false;
  while (const dirent* const entry = ::readdir(all)) {
    const auto pid = to_number<pid_t>(entry->d_name);
    if (!pid || entry->d_name == self || mount_namespace_of(entry->d_name) != ours) continue;
    found = ::kill(*pid, SIGKILL) == 0 || found;
  }
  ::closedir(all);
  return found;
}

void end_container() {
  constexpr int most_rounds = 200;
  for (int round = 0; round < most_rounds && kill_others(); ++round) ::usleep(5'000);
}

// If /etc/rc fails, or does not end in time, nothing that it has started is left. With
// proctrack/cgroup, Slurm would not end it: it is not in the step's cgroup.
EntrypointResult run_or_end_all(const EntrypointRun& run) {
  try {
    return run_entrypoint(run);
  } catch (const Error&) {
    end_container();
    throw;
  }
}

struct RcRun {
  const Fd& log;
  const StepdLine& line;
  bool runs = false;
  std::string library_folder;
  std::string home;  // the user's, inside; or empty
};

Answer run_rc(const ContainerPlan& plan, const Environment& image, const RcRun& run) {
  Answer answer;
  answer.workdir = "/";
  Environment changed = image;
  if (plan.remap_root && !image.contains("HOME")) changed["HOME"] = run.home;
  if (run.runs && ::access("/etc/rc", R_OK) == 0) {
    Environment before = container_environment(plan, image, run.home);
    if (!run.library_folder.empty()) {
      std::string& path = before[library_path];
      path = with_library_folder(path, run.library_folder);
    }
    EntrypointResult result =
        run_or_end_all({before, run.log, run.line.descriptor(), plan.entrypoint});
    drop_shell_variables(result.environment);
    for (const auto& [name, value] : result.environment) {
      const auto old = before.find(name);
      if (old == before.end() || old->second != value) changed[name] = value;
    }
    answer.workdir = result.workdir;
  }
  answer.environment = merged(plan.job, changed, plan.job_wins);
  add_home(answer.environment, run.home);
  answer.environment.try_emplace("PATH", default_path);
  return answer;
}

// `lock` holds the container's changes.
Answer make_container(const ContainerPlan& plan, StepdLine& line, Fd& lock) {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  const bool real_root = uid == 0;
  const int namespaces = namespaces_of(plan);
  RootBuilder root(plan);
  const Fd log = open_entrypoint_log(plan.entrypoint_log);
  enter_user_namespace(outer_ids(real_root, uid, gid), CLONE_NEWNS);
  root.put_node_aside();
  root.mount_image(line);
  const Environment image = root.image_environment();
  root.add_files();
  root.add_mounts();
  root.enter();
  lock = root.take_lock();
  enter_user_namespace(inner_ids(real_root, plan.remap_root, uid, gid),
                       namespaces & ~CLONE_NEWUSER);
  root.set_propagation();
  set_up_own_namespaces(plan.unshared);
  Answer answer =
      run_rc(plan, image, {log, line, root.runs_rc(), root.library_folder(), root.home()});
  if (!plan.workdir.empty()) answer.workdir = plan.workdir;
  struct stat info = {};
  if (::stat(answer.workdir.c_str(), &info) != 0) {
    throw_errno(fmt::format("cannot change to the folder `{}` in the container", answer.workdir));
  }
  answer.namespaces = namespaces;
  answer.pretends_ids = !real_root;
  answer.library_folder = root.library_folder();
  answer.notes = root.notes();
  return answer;
}

// proctrack/linuxproc sends the signals of a step to all descendants of slurmstepd: the container
// must outlive what its tasks may handle. squashfuse_ll inherits this.
void ignore_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE,
                           SIGVTALRM, SIGPROF, SIGXCPU, SIGTSTP, SIGTTIN, SIGTTOU, SIGPWR}) {
    ::signal(signal, SIG_IGN);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) ::signal(signal, SIG_IGN);
}

int keep() {
  StepdLine line{Fd(control_descriptor)};
  Fd lock;
  JoinedLock joined;
  ignore_signals();
  try {
    const ContainerPlan plan = decode_plan(read_whole(plan_descriptor));
    if (!plan.joined.empty()) joined = JoinedLock(plan.joined);
    joined.begin();
    const Answer answer = make_container(plan, line, lock);
    const std::string text = encode(answer);
    if (::pwrite(answer_descriptor, text.data(), text.size(), 0) < 0) throw_errno("cannot answer");
    // From here on, the end of the connection tells that the parent has ended.
    ::prctl(PR_SET_PDEATHSIG, 0);
    line.tell(Signal::ready);
  } catch (const std::exception& error) {
    Answer failed;
    failed.error = error.what();
    const std::string text = encode(failed);
    [[maybe_unused]] const ssize_t n = ::pwrite(answer_descriptor, text.data(), text.size(), 0);
    line.tell(Signal::failed);
    return 1;
  }
  line.wait_for_end();
  joined.wait_for_steps();
  end_container();
  return 0;
}

}  // namespace
}  // namespace slipway::container

int main(int argc, char**) {
  using namespace slipway::container;
  if (argc != 1 || ::fcntl(plan_descriptor, F_GETFD) < 0 ||
      ::fcntl(control_descriptor, F_GETFD) < 0) {
    fmt::print(stderr, "Slurm starts this program for steps with --container-image.\n");
    return 2;
  }
  ::umask(022);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return keep();
}
