// Starts the program bandwidth_plot.
#include "nccl-tests/programs.h"

int main(int argc, char** argv) {
  return slipway::bandwidth::plot_main({argv + 1, argv + argc});
}
