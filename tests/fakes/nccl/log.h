// NCCL's log, in its format: NCCL_DEBUG and NCCL_DEBUG_FILE (with %h and %p) select what is
// written.
#pragma once

#include <string>

namespace fake {

enum class Level { none, version, warn, info };

// One line: "host:pid:tid [device] NCCL INFO text".
void say(Level level, int device, const std::string& text);
// The line "NCCL WARN", with the place in NCCL's source that real lines have.
void warn(int device, const std::string& place, const std::string& text);
// What ncclGetLastError() returns: the last warning of this thread.
const char* last_warning();

}  // namespace fake
