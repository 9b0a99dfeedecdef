// Takes slurmstepd's protection from the out-of-memory killer from a child of it.
#include "spank-plugins/container/killable.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"

namespace slipway::container {
namespace {

constexpr auto unchanged = static_cast<uid_t>(-1);

// Root's effective id, if the process may have it, as long as this lives.
class AsRoot {
 public:
  AsRoot() : before_(::geteuid()) {
    if (before_ != 0) (void)!::setresuid(unchanged, 0, unchanged);
  }
  ~AsRoot() {
    if (::geteuid() != before_ && ::setresuid(unchanged, before_, unchanged) != 0) ::_exit(1);
  }
  AsRoot(const AsRoot&) = delete;
  AsRoot& operator=(const AsRoot&) = delete;

 private:
  const uid_t before_;
};

}  // namespace

void become_killable(const std::filesystem::path& score) {
  if (!read_file(score).starts_with('-')) return;
  const AsRoot root;
  const Fd file(::open(score.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file || ::write(file.get(), "0\n", 2) != 2) {
    throw_errno("cannot write " + score.string());
  }
}

}  // namespace slipway::container
