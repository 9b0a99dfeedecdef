// The program all_gather_perf.
#include "nccl-tests/perf_main.h"

int main(int argc, char** argv) {
  return slipway::bandwidth::perf_main(slipway::bandwidth::all_gather(), argc, argv);
}
