// The parts of starting a child process that every program here shares. To run a program and
// collect its output, use process.h.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slipway {

// What exec(3) takes: pointers into `words`, and a null pointer. `words` must outlive them.
std::vector<char*> pointers(std::vector<std::string>& words);

// fork(2). Throws Error: "cannot start WHAT: …".
pid_t fork_child(const std::string& what);

// Waits until the child ends, also through signals. Returns its wait status; 0 if other code has
// already reaped it.
int wait_for_child(pid_t child);

}  // namespace slipway
