// Takes a job's batch script away from its user, who may still read and run it.
#include "spank-plugins/node_health/batch_script.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <bit>

#include "common/error.h"
#include "common/fd.h"

namespace slipway::node_health {
namespace {

constexpr const char* access_list = "system.posix_acl_access";

// The form of the extended attribute, for little-endian machines: posix_acl_xattr.h.
struct AccessList {
  posix_acl_xattr_header header = {POSIX_ACL_XATTR_VERSION};
  std::array<posix_acl_xattr_entry, 5> entries;
};
static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(AccessList) ==
              sizeof(posix_acl_xattr_header) + 5 * sizeof(posix_acl_xattr_entry));

AccessList only_for(uid_t user) {
  constexpr __u16 read_and_run = ACL_READ | ACL_EXECUTE;
  constexpr __u32 nobody = ACL_UNDEFINED_ID;
  AccessList list;
  // In the order of the tags, as the kernel demands it.
  list.entries = {{{ACL_USER_OBJ, read_and_run, nobody},
                   {ACL_USER, read_and_run, user},
                   {ACL_GROUP_OBJ, 0, nobody},
                   {ACL_MASK, read_and_run, nobody},
                   {ACL_OTHER, 0, nobody}}};
  return list;
}

}  // namespace

void keep_batch_script(const std::filesystem::path& script, uid_t user) {
  const Fd file(::open(script.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) throw_errno(fmt::format("cannot open {}", script.native()));
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) throw_errno(fmt::format("cannot read {}", script.native()));
  if (!S_ISREG(info.st_mode) || info.st_uid != user || info.st_nlink != 1) {
    throw Error(fmt::format("{} is not a batch script of user {}", script.native(), user));
  }
  const AccessList list = only_for(user);
  if (::fsetxattr(file.get(), access_list, &list, sizeof list, 0) != 0) {
    throw_errno(fmt::format("cannot set the access control list of {}", script.native()));
  }
  if (::fchown(file.get(), 0, 0) != 0) throw_errno(fmt::format("cannot own {}", script.native()));
}

}  // namespace slipway::node_health
