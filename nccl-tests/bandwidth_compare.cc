// Starts the program bandwidth_compare.
#include "nccl-tests/programs.h"

int main(int argc, char** argv) {
  return slipway::bandwidth::compare_main({argv + 1, argv + argc});
}
