// Starts the program bandwidth_perf.
#include "nccl-tests/programs.h"

int main(int argc, char** argv) {
  return slipway::bandwidth::perf_main({argv, argv + argc});
}
