// The parts of starting a child process that every program here shares.
#include "common/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace slipway {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t fork_child(const std::string& what) {
  const pid_t child = ::fork();
  if (child < 0) throw_errno("cannot start " + what);
  return child;
}

int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace slipway
