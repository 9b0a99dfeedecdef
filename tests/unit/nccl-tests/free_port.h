// A port of this machine that no program listened at a moment ago.
#pragma once

#include "common/tcp.h"
#include "nccl-tests/socket.h"

inline int free_port() {
  return slipway::port_of(slipway::bandwidth::listen_on({0}).get());
}
