// Slurm's <slurm/spank.h> for C++.
//
// Three traps are closed here, and nowhere else:
// - spank.h declares the callbacks outside its own extern "C": unwrapped, their names are mangled,
//   and Slurm finds none of them.
// - What Slurm looks up is const, which C++ keeps local to the file: unless it is declared extern
//   first, Slurm rejects the library as "not a plugin". SLIPWAY_SPANK_PLUGIN (release.h) defines it.
// - our plugins are compiled with hidden visibility: what Slurm looks up, and what Slurm defines,
//   must be visible by name.
#pragma once

#pragma GCC visibility push(default)
extern "C" {
#include <slurm/spank.h>

extern const char plugin_name[];
extern const char plugin_type[];
extern unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
}
#pragma GCC visibility pop
