// What a machine needs for some purpose, and whether it has it. Each room lists its own
// requirements; `slipway doctor` prints them.
//
//   Requirement slurmd = program_required("/usr/sbin/slurmd", "runs jobs on the nodes", "slurmd");
//   if (slurmd.state == Requirement::State::missing) …
#pragma once

#include <filesystem>
#include <string>

namespace slipway {

struct Requirement {
  enum class State {
    ok,
    warning,  // missing or unsuitable, but only some uses need it
    missing,  // missing or unsuitable, and nothing works without it
  };
  std::string name;     // what was looked at: "/usr/sbin/slurmd", "time namespaces"
  std::string purpose;  // what needs it: "runs jobs on the nodes"
  State state = State::ok;
  std::string found = {};    // "24.11.5", or what is wrong; may be empty
  std::string package = {};  // the Debian package that has it; may be empty
  std::string remedy = {};   // how to get it if no package has it; may be empty
};

// What is missing if the thing is not there: everything, or some uses.
enum class Needed { always, sometimes };

Requirement::State lacks(Needed needed);

// Whether the program can be run. `package` is the Debian package that installs it.
Requirement program_required(const std::filesystem::path& program, std::string purpose,
                             std::string package, Needed needed = Needed::always);

// Whether the dynamic linker finds the library: "libnccl.so.2". Loads it, which runs its
// constructors.
Requirement library_required(const std::string& library, std::string purpose, std::string package,
                             Needed needed = Needed::always);

// The Slurm release that this build's SPANK plugins are for: "24.11".
std::string slurm_release();

// Whether this machine's slurmd has that release. Runs `slurmd -V`; the program may be missing.
Requirement slurm_release_required();

}  // namespace slipway
