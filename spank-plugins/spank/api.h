// Slurm's <slurm/spank.h> for C++.
//
// Three traps are closed here, and nowhere else:
// - spank.h declares the callbacks outside its own extern "C": unwrapped, their names are mangled,
// and
//   Slurm finds none of them.
// - SPANK_PLUGIN defines const objects, which C++ keeps local to the file: unless they are declared
//   extern first, Slurm rejects the library as "not a plugin".
// - our plugins are compiled with hidden visibility: what Slurm looks up, and what Slurm defines,
// must
//   be visible by name.
#pragma once

#pragma GCC visibility push(default)
extern "C" {
#include <slurm/spank.h>

extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
}
#pragma GCC visibility pop
