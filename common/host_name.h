// The name of this machine.
#pragma once

#include <unistd.h>

#include <string>

namespace slipway {

inline std::string own_host_name() {
  char name[65] = {};  // HOST_NAME_MAX is 64
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace slipway
