// Collects what a job asks for, from options and then from environment variables.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spank-plugins/container/options.h"
#include "spank-plugins/container/request.h"

namespace slipway::container {

using Lookup = std::function<std::optional<std::string>(const char* name)>;

class Asked {
 public:
  // Takes an option; `value` is not used for a flag. Slurm may give the same one several times.
  // Another value replaces an inherited one, which sbatch or salloc had; otherwise both at once are
  // an Error, as are wrong values. A message begins with the option.
  void take(const OptionRow& option, const char* value, bool inherited = false);

  // Takes PYXIS_CONTAINER_* where no option was given. Throws Error at a wrong value.
  void take_variables(const Lookup& environment);

  // Whether there is an image or a name.
  bool wants_container() const;

  Request request() const;

  // One line for each setting that has no effect. `runs_entrypoint`: the default, for
  // jobs that do not choose.
  std::vector<std::string> without_effect(bool runs_entrypoint) const;

 private:
  struct Taken {
    std::string value;  // of a flag "yes" or "no"
    std::string from;   // "--container-image" or "PYXIS_CONTAINER_IMAGE"
    bool inherited = false;
  };

  std::optional<std::string> value(Field field) const;
  std::optional<bool> flag(Field field) const;

  std::map<Field, Taken> taken_;
};

}  // namespace slipway::container
