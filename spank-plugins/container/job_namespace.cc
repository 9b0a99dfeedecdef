// The mount namespace of a job.
#include "spank-plugins/container/job_namespace.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

#include "common/fd.h"
#include "common/text.h"
#include "spank-plugins/container/save_excludes.h"

namespace slipway::container {

std::string job_namespace_in(std::string_view mountinfo, uint32_t job) {
  const std::string end = fmt::format("/{}/.ns", job);
  std::string found;
  for (const std::string& line : split(mountinfo, '\n')) {
    const size_t separator = line.find(" - ");
    const std::vector<std::string> field = split(line, ' ');
    if (separator == std::string::npos || field.size() < 5) continue;
    const std::string path = unescaped_mount(field[4]);
    if (line.substr(separator + 3).starts_with("nsfs ") && path.ends_with(end)) found = path;
  }
  return found;
}

int enter_job_namespace(uint32_t job) {
  if (job == 0) return 0;
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string text(std::istreambuf_iterator<char>(mounts), {});
  const std::string path = job_namespace_in(text, job);
  if (path.empty()) return 0;
  if (::setresuid(static_cast<uid_t>(-1), 0, static_cast<uid_t>(-1)) != 0) return errno;
  const Fd name(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!name) return errno;
  return ::setns(name.get(), CLONE_NEWNS) == 0 ? 0 : errno;
}

}  // namespace slipway::container
