// The --container-* options of `slipway launch`.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "launcher/job/launch.h"

namespace slipway::commands {

// Takes the options that srun has with pyxis or with our own plugin, and passes them on.
class ContainerOptions {
 public:
  // The options live as long as this object.
  void add_to(CommandLine& line);

  // After parsing. Throws UsageError if options contradict each other or have no effect.
  job::LaunchContainer take() const;

 private:
  static constexpr size_t values = 7, flags = 9;
  std::array<std::string, values> values_;
  std::array<bool, flags> flags_ = {};
};

}  // namespace slipway::commands
