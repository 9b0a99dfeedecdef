// Looks up the functions of a library that was loaded at run time.
#pragma once

#include <dlfcn.h>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {

template <class Function>
void find_function(void* library, const char* name, Function& function, bool required = true) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr && required)
    throw Error(fmt::format("the library has no {}: it is too old", name));
}

}  // namespace slipway::bandwidth

// Sets the member of `to` with the function's own name.
#define SLIPWAY_FIND(library, to, name) \
  ::slipway::bandwidth::find_function(library, #name, (to).name)
// The same for a function that older versions lack: nullptr there.
#define SLIPWAY_FIND_OPTIONAL(library, to, name) \
  ::slipway::bandwidth::find_function(library, #name, (to).name, false)
