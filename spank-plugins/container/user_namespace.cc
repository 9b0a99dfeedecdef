// User namespaces of a container.
#include "spank-plugins/container/user_namespace.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"

namespace slipway::container {
namespace {

std::vector<IdLine> ids_in(const char* file) {
  std::vector<IdLine> lines;
  std::ifstream map(file);
  unsigned inside = 0, outside = 0, count = 0;
  while (map >> inside >> outside >> count) lines.push_back({inside, inside, count});
  return lines;
}

std::string text_of(const std::vector<IdLine>& lines) {
  std::string text;
  for (const IdLine& line : lines) {
    text += fmt::format("{} {} {}\n", line.inside, line.outside, line.count);
  }
  return text;
}

// Returns 0 or an errno.
int write_proc_file(pid_t process, const char* name, const std::string& text) {
  const Fd file(::open(fmt::format("/proc/{}/{}", process, name).c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return errno;
  return ::write(file.get(), text.data(), text.size()) < 0 ? errno : 0;
}

// Runs in a child that stays outside, where the rights to write the maps are.
int write_maps(pid_t process, const IdMaps& maps) {
  int code = 0;
  if (!maps.may_set_groups) code = write_proc_file(process, "setgroups", "deny");
  if (code == 0) code = write_proc_file(process, "uid_map", text_of(maps.users));
  if (code == 0) code = write_proc_file(process, "gid_map", text_of(maps.groups));
  return code;
}

std::string first_word(const char* file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

[[noreturn]] void explain(int code) {
  std::string why = user_namespaces_forbidden();
  if (why.empty() && code == ENOSPC) why = "too many user namespaces; see user.max_user_namespaces";
  if (!why.empty()) why = " (" + why + ")";
  throw_errno("cannot make the container's user namespace" + why, code);
}

}  // namespace

IdMaps all_ids() {
  return {ids_in("/proc/self/uid_map"), ids_in("/proc/self/gid_map"), true};
}

IdMaps one_id(uid_t inside, uid_t outside, gid_t group_inside, gid_t group_outside) {
  return {{{inside, outside, 1}}, {{group_inside, group_outside, 1}}, false};
}

std::string user_namespaces_forbidden() {
  if (::geteuid() == 0) return {};
  if (first_word("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "an administrator allows them with `sysctl kernel.unprivileged_userns_clone=1`";
  }
  if (first_word("/proc/sys/user/max_user_namespaces") == "0") {
    return "an administrator allows them with `sysctl user.max_user_namespaces=10000`";
  }
  if (first_word("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "an administrator allows them with `sysctl "
           "kernel.apparmor_restrict_unprivileged_userns=0`, or with an AppArmor profile for the "
           "keeper";
  }
  return {};
}

void enter_user_namespace(const IdMaps& maps, int more) {
  const pid_t self = ::getpid();
  Pipe made = make_pipe();
  const pid_t writer = fork_child("the writer of id maps");
  if (writer == 0) {
    made.write.reset();
    char byte = 0;
    ::_exit(::read(made.read.get(), &byte, 1) == 1 ? write_maps(self, maps) : ECANCELED);
  }
  const int refused = ::unshare(CLONE_NEWUSER | more) == 0 ? 0 : errno;
  if (refused == 0 && ::write(made.write.get(), "", 1) != 1) throw_errno("cannot write to a pipe");
  made.write.reset();
  const int status = wait_for_child(writer);
  if (refused != 0) explain(refused);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
  if (code != 0) {
    throw Error(fmt::format("cannot map the user's ids into the container: {}",
                            std::error_code(code, std::generic_category()).message()));
  }
}

}  // namespace slipway::container
