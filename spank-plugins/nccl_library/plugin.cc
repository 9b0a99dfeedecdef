// libnccl-env-slipway.so: NCCL (2.28 and newer) asks it for each of its variables, so that values
// from a container image do not replace the job's.
//
// The interface is NCCL's environment plugin, version 1:
// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html, NCCL_ENV_PLUGIN.
#include <stdint.h>
#include <stdlib.h>

#include "spank-plugins/nccl_library/environment.h"

namespace {

using namespace slipway::nccl_library;

constexpr int success = 0;  // ncclSuccess

struct State {
  Start start;
  Values ours;
};

// Never destroyed: an NCCL thread may ask until the very end of the process.
union Forever {
  State state;
  constexpr Forever() : state() {}
  ~Forever() {}
};

Forever forever;

int begin(uint8_t, uint8_t, uint8_t, const char*) {
  State& state = forever.state;
  state.start.read();
  state.ours.read(getenv("SLIPWAY_NCCL_ENV"));
  return success;
}

int end() {
  return success;
}

const char* get(const char* name) {
  const State& state = forever.state;
  return choose(name, state.start, state.ours);
}

struct EnvironmentPlugin {
  const char* name;
  int (*init)(uint8_t major, uint8_t minor, uint8_t patch, const char* suffix);
  int (*finalize)();
  const char* (*get_env)(const char* name);
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const EnvironmentPlugin ncclEnvPlugin_v1;
const EnvironmentPlugin ncclEnvPlugin_v1 = {"slipway", begin, end, get};
