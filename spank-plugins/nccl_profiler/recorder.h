// All communicators of this process, and the thread that writes what they recorded once an
// interval. It runs from the first communicator to the last, and is joined before NCCL unloads the
// plugin. Any trouble turns the recording off; the program never learns of it.
#pragma once

#include <cstdint>

#include "spank-plugins/nccl_profiler/communicator.h"
#include "spank-plugins/nccl_profiler/interface.h"

namespace slipway::nccl_profiler {

// Returns what NCCL passes on as the context; nullptr: this one is not recorded.
Communicator* begin(const Identity& identity, Log log);
void finish(Communicator* communicator);

// False in a child of the process, which has no thread, and after trouble.
bool is_on();

// Of a handle.
Communicator& communicator_at(size_t index);
size_t index_of(const Communicator* communicator);

}  // namespace slipway::nccl_profiler
