// Starts the program bandwidth_scan.
#include "nccl-tests/programs.h"

int main(int argc, char** argv) {
  return slipway::bandwidth::scan_main({argv + 1, argv + argc});
}
