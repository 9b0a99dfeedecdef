// For ordinary users: a container has only one user, who may be root inside.
#include "spank-plugins/container/pretended_ids.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <vector>

#include "common/error.h"

namespace slipway::container {
namespace {

#if defined(__x86_64__)
constexpr unsigned architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned architecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned architecture = 0;
#endif

const unsigned pretended[] = {
    SYS_setuid,    SYS_setgid,   SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid,
    SYS_setgroups, SYS_setfsuid, SYS_setfsgid, SYS_fchown,   SYS_fchownat,
#ifdef SYS_chown
    SYS_chown,     SYS_lchown,
#endif
};

sock_filter load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}

}  // namespace

void pretend_to_change_ids() {
  if (architecture == 0) return;
  const sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  std::vector<sock_filter> program = {load(offsetof(seccomp_data, arch)),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0),
                                      allow, load(offsetof(seccomp_data, nr))};
  for (const unsigned call : pretended) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO));  // errno 0: success
  }
  program.push_back(allow);
  const sock_fprog all = {static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0) {
    throw_errno("cannot let the container pretend to change users");
  }
}

}  // namespace slipway::container
