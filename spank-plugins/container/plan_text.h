// How slurmstepd tells the keeper what to do, and how the keeper answers: fields with their length,
// since a variable's value may be any bytes.
#pragma once

#include <string>
#include <string_view>

#include "spank-plugins/container/runtime.h"

namespace slipway::container {

// What the keeper's program finds open when it starts.
inline constexpr int plan_descriptor = 3, control_descriptor = 4, answer_descriptor = 5;

// What the keeper sends through the control socket: one byte each.
enum class Signal : char { ready = 'r', failed = 'e', wants_fuse = 'f', wants_kernel_image = 'k' };

struct Answer {
  std::string error;  // empty: the container is up
  int namespaces = 0;
  bool pretends_ids = false;
  Environment environment;
  std::string workdir;
  std::string library_folder;
  std::vector<std::string> notes;
};

std::string encode(const ContainerPlan& plan);
std::string encode(const Answer& answer);

// Throw Error if the text is not what encode() writes: the keeper belongs to the user.
ContainerPlan decode_plan(std::string_view text);
Answer decode_answer(std::string_view text);

// A whole file in memory, from its beginning. `name` is for messages. Throw Error.
Fd memory_file(const char* name, std::string_view text);
std::string read_whole(int fd, size_t limit = 64 << 20);

}  // namespace slipway::container
