// Collects what a job asks for, from options and then from environment variables.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spank-plugins/container/options.h"
#include "spank-plugins/container/request.h"

namespace slipway::container {

using Lookup = std::function<std::optional<std::string>(const char* name)>;

class Asked {
 public:
  // Takes an option; `value` is not used for a flag. Slurm may give the same one several times.
  // Another value replaces an inherited one, which sbatch or salloc had. Otherwise lists add up,
  // and two values of anything else are an Error, as are wrong values. A message begins with the
  // option.
  void take(const OptionRow& option, const char* value, bool inherited = false);

  // Takes PYXIS_CONTAINER_* where no option was given. Throws Error at a wrong value.
  void take_variables(const Lookup& environment);

  // Slurm passes on only the last value of an option that was given several times. These are the
  // variables in which lists travel to the nodes, with the whole list; without a value where the
  // last one is all of it, and an older variable would be wrong.
  std::vector<std::pair<const char*, std::optional<std::string>>> lists() const;

  // On the node: takes a whole list if it ends with what the option has. Throws Error at a wrong
  // value.
  void take_lists(const Lookup& environment);

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
    std::string last;  // of the values that make up a list
  };

  std::optional<std::string> value(Field field) const;
  std::optional<bool> flag(Field field) const;

  std::map<Field, Taken> taken_;
};

}  // namespace slipway::container
