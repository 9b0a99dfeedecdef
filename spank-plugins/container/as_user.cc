// Does something with the rights of the job's user only.
#include "spank-plugins/container/as_user.h"

#include <fmt/core.h>
#include <grp.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <string>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/process.h"
#include "spank-plugins/container/job_namespace.h"
#include "spank-plugins/container/killable.h"
#include "spank-plugins/container/slurmstepd_line.h"

namespace slipway::container {
namespace {

// Leaves no id of root's, not even a saved one. In user_init slurmstepd already has
// the user's effective ids and groups, and may not set the groups.
void give_up_root(const User& user) {
  if (::geteuid() == 0 && ::setgroups(user.groups.size(), user.groups.data()) != 0) {
    throw_errno("cannot take the user's groups");
  }
  if (::setresgid(user.gid, user.gid, user.gid) != 0) throw_errno("cannot take the user's group");
  if (::setresuid(user.uid, user.uid, user.uid) != 0) throw_errno("cannot become the user");
}

void write_all(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

}  // namespace

pid_t start_as(const User& user, const std::function<void()>& body, uint32_t job) {
  const pid_t child = fork_child("a process for the container");
  if (child != 0) return child;
  try {
    unblock_signals();
    become_killable();
    if (enter_job_namespace(job) != 0) throw_errno("cannot enter the job's mount namespace");
    give_up_root(user);
    body();
    ::_exit(0);
  } catch (...) {
    ::_exit(1);
  }
}

void run_as(const User& user, const std::function<void()>& body, const RunAs& how) {
  Pipe answer = make_pipe();
  const pid_t child = start_as(
      user,
      [&] {
        answer.read.reset();
        try {
          body();
        } catch (const std::exception& error) {
          write_all(answer.write.get(), error.what());
          throw;
        }
      },
      how.job);
  answer.write.reset();
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + how.limit;
  while (answer.read) {
    if (!readable_until(answer.read.get(), deadline)) {
      ::kill(child, SIGKILL);
      text = fmt::format("the user's files do not answer within {} s", how.limit.count());
      break;
    }
    read_some(answer.read, text);
  }
  const int status = wait_for_child(child);
  if (!text.empty()) throw Error(text);
  if (status != 0) throw Error("a process for the container ended early");
}

}  // namespace slipway::container
