// Shows a program the hardware of the machine that it runs on, instead of the host's: every machine
// of the stand-in preloads it. /etc/hardware has "SOCKETS CORES THREADS MEMORY_MB"; cores are those
// of a socket, threads those of a core.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace {

struct Hardware {
  long sockets = 0, cores = 0, threads = 0, memory_mb = 0;
};

// All are 0 if there is no such file.
Hardware read_hardware() {
  Hardware found;
  FILE* const file = fopen("/etc/hardware", "re");
  if (file == nullptr) return found;
  if (fscanf(file, "%ld %ld %ld %ld", &found.sockets, &found.cores, &found.threads,
             &found.memory_mb) != 4) {
    found = {};
  }
  fclose(file);
  return found;
}

const Hardware& hardware() {
  static const Hardware known = read_hardware();
  return known;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

// slurmd counts CPUs with hwloc, which takes a topology from this variable.
int hwloc_topology_load(void* topology) {
  char text[100];
  snprintf(text, sizeof(text), "pack:%ld core:%ld pu:%ld", hardware().sockets, hardware().cores,
           hardware().threads);
  if (hardware().sockets > 0) setenv("HWLOC_SYNTHETIC", text, 1);
  const int status = next<int(void*)>("hwloc_topology_load")(topology);
  unsetenv("HWLOC_SYNTHETIC");
  return status;
}

// slurmd's memory. Older glibc has no other name for it.
long sysconf(int name) noexcept {
  const auto real = next<long(int)>("sysconf");
  if (name != _SC_PHYS_PAGES || hardware().memory_mb == 0) return real(name);
  return hardware().memory_mb * 1024 / (real(_SC_PAGESIZE) / 1024);
}

}  // extern "C"
