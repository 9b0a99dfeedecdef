// The start of a step's container, as slurmstepd and its tasks see it.
#include "spank-plugins/container/step_start.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "common/child.h"
#include "common/error.h"
#include "common/pidfd.h"
#include "spank-plugins/container/joined_lock.h"
#include "spank-plugins/container/killable.h"
#include "spank-plugins/container/plan_text.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

constexpr auto time_for_the_lock = std::chrono::seconds(2);
constexpr auto patience = std::chrono::seconds(10);  // for the maker to end the container
// The user's folders can be on a file system that does not answer, or have any number of files, and
// the process that removes them is the user's, who can stop it. Slurm drains a node whose epilog,
// with its checks of the node, takes longer than PrologEpilogTimeout, 60 s.
constexpr auto time_to_remove = std::chrono::seconds(25);
// After Slurm has killed the tasks: if a step does not end soon, Slurm drains the node.
constexpr auto time_to_save = std::chrono::seconds(20);

struct Maker {
  StepFacts facts;
  Fd outcome, ready, life;
};

void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

// slurmstepd's descriptors must not stay open here: it waits for the end of its tasks' output.
void let_go_of_slurmstepd(const Maker& maker) {
  const int null = ::open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; ++stream) ::dup2(null, stream);
  close_all_but({maker.outcome.get(), maker.ready.get(), maker.life.get()});
}

void give_up_root_for_good() {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0) ::_exit(1);
}

void wait_for_hangup(const Fd& life) {
  pollfd end = {life.get(), POLLIN, 0};
  while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
  }
}

// If the process that held the container was killed, its keeper ends by itself, unless other steps
// are in the container. As the user.
void wait_for_keeper(const fs::path& folder) {
  const auto running = read_running(folder);
  if (!running) return;
  const Fd process = open_pidfd(running->keeper);
  constexpr auto round = std::chrono::milliseconds(100);
  for (auto waited = round; waited <= patience && !ends_within(process, round); waited += round) {
    if (JoinedLock(folder / "joined").is_joined()) return;
  }
}

void leave(const Fd& file, const Outcome& outcome) {
  const std::string text = encode(outcome);
  [[maybe_unused]] const ssize_t n = ::pwrite(file.get(), text.data(), text.size(), 0);
}

// The tasks get signals of a step; this process ends with slurmstepd, or when it lets go.
[[noreturn]] void make_and_hold(Maker maker) noexcept {
  block_signals();
  let_go_of_slurmstepd(maker);
  maker.facts.life = maker.life.get();
  try {
    become_killable();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a process that changes its effective id loses it
    StepContainer container(std::move(maker.facts));
    leave(maker.outcome, container.outcome());
    maker.ready.reset();
    give_up_root_for_good();
    wait_for_hangup(maker.life);
    container.end();
  } catch (const std::exception& error) {
    Outcome failed;
    failed.error = error.what();
    if (maker.ready) leave(maker.outcome, failed);
  }
  ::_exit(0);
}

}  // namespace

StepStart::StepStart(StepFacts facts)
    : facts_(std::move(facts)), outcome_(memory_file("outcome", "")) {
  if (facts_.request.save) {
    saving_ = std::make_unique<Saving>(
        facts_.user, facts_.id.job, [this] { write_image(); }, std::vector<int>{outcome_.get()});
  }
  Pipe ready = make_pipe(), life = make_pipe();
  maker_ = fork_child("the process that makes the container");
  if (maker_ == 0) {
    make_and_hold({facts_, Fd(outcome_.release()), std::move(ready.write), std::move(life.read)});
  }
  process_ = open_pidfd(maker_);
  ready_ = std::move(ready.read);
  life_ = std::move(life.write);
}

Outcome StepStart::wait() const {
  wait_for_hangup(ready_);
  return read_outcome();
}

Outcome StepStart::read_outcome() const {
  const std::string text = read_whole(outcome_.get());
  Outcome outcome;
  if (text.empty()) {
    outcome.error = "the process that makes the container was ended";
    outcome.releases = facts_.request.image.has_value();
  } else {
    outcome = decode_outcome(text);
  }
  return outcome;
}

Container container_of(const Outcome& outcome) {
  Container container;
  container.keeper = outcome.keeper;
  container.process = open_pidfd(outcome.keeper);
  if (!container.process) throw_errno("cannot enter the container");
  container.namespaces = outcome.namespaces;
  container.pretends_ids = outcome.pretends_ids;
  container.workdir = outcome.workdir;
  return container;
}

// As the user, in a process of its own.
void StepStart::write_image() const {
  const fs::path target = place_to_save(facts_);
  const std::string what = fmt::format("cannot save the container as `{}`", target.string());
  struct stat folder = {};
  if (::stat(target.parent_path().c_str(), &folder) != 0) throw_errno(what);
  Container held;
  held.keeper = read_outcome().keeper;
  // Every node of the step writes; the file is one of theirs, whole.
  const fs::path part = fmt::format("{}.{}.{}.part", target.string(), facts_.id.job, held.keeper);
  try {
    container::save(held, part);
    if (std::rename(part.c_str(), target.c_str()) != 0) throw_errno("cannot rename the new file");
  } catch (const Error& error) {
    ::unlink(part.c_str());
    throw error.within(what);
  }
}

bool StepStart::follow_task(uint32_t tasks,
                            const std::function<void(const std::string&)>& print) const {
  if (saving_) saving_->follow_task(tasks, print);
  return saving_ != nullptr;
}

void StepStart::save() const {
  if (!saving_ || saving_->has_run() || !read_outcome().error.empty()) return;
  if (const std::string error = saving_->run(time_to_save); !error.empty()) throw Error(error);
}

void StepStart::end_maker() {
  life_.reset();
  if (!ends_within(process_, patience)) kill_process(process_);
  wait_for_child(maker_);
}

void StepStart::finish() {
  end_maker();
  const Outcome outcome = read_outcome();
  const bool named = facts_.request.name.has_value();
  const fs::path unnamed =
      user_folder(facts_.settings.runtime_path, facts_.user.uid) / unnamed_folder(facts_.id);
  if (!named || outcome.own) {
    run_as(facts_.user,
           [&] {
             wait_for_keeper(named ? fs::path(outcome.folder) : unnamed);
             if (!named) return remove_folder(unnamed);
             const Fd lock = open_lock(fs::path(outcome.folder) / "lock");
             try_lock(lock, time_for_the_lock);
             // Other steps may still be in it.
             if (!read_running(outcome.folder))
               fs::remove(fs::path(outcome.folder) / "running.json");
           },
           {0, time_to_remove});
  }
  if (outcome.releases) release_image(facts_.user, importing_of(facts_, unnamed));
}

void remove_containers(const Settings& settings, uid_t user, uint32_t job) {
  const fs::path own = user_folder(settings.runtime_path, user);
  struct stat state = {};
  if (::lstat(own.c_str(), &state) != 0) return;  // never had a container here
  // The folder's group: Slurm does not say the user's in an epilog.
  run_as({user, state.st_gid, {}},
         [&] {
           for (const fs::path& folder : folders_of_job(own, job)) {
             if (const auto running = read_running(folder)) ::kill(running->keeper, SIGKILL);
             remove_folder(folder);
           }
         },
         {0, time_to_remove});
}

}  // namespace slipway::container
