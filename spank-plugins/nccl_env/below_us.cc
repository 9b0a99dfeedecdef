// Container plugins that come after nccl_env in plugstack.conf.
#include "spank-plugins/nccl_env/below_us.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "common/child.h"
#include "common/fd.h"
#include "spank-plugins/nccl_env/advice.h"
#include "spank-plugins/nccl_env/vendor_profile.h"

namespace slipway::nccl_env {
namespace {

// The names by which NVIDIA's pyxis and our own plugin call themselves.
constexpr std::array<std::string_view, 2> container_plugins = {"pyxis", "container"};

int list_library(dl_phdr_info* info, size_t, void* data) {
  static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
  return 0;
}

// The name of a library that is a plugin of Slurm; or empty.
std::string plugin_in(const std::string& library) {
  if (library.empty()) return "";
  void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  const auto* name = static_cast<const char*>(::dlsym(handle, "plugin_name"));
  // dlsym also searches the libraries that this one needs.
  Dl_info where = {};
  const bool own = name != nullptr && ::dladdr(name, &where) != 0 && where.dli_fname == library;
  std::string found = own ? name : "";
  ::dlclose(handle);
  return found;
}

void write_names(const std::vector<NodeTransport::Variable>& variables,
                 std::set<std::string>& into) {
  for (const NodeTransport::Variable& each : variables) into.insert(each.name);
}

// "NAME=value" strings, each with a final 0.
Environment parse_environment(const std::string& bytes) {
  Environment all;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\0', begin), bytes.size());
    const std::string entry = bytes.substr(begin, end - begin);
    const size_t equals = entry.find('=');
    if (equals != entry.npos) all.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    begin = end + 1;
  }
  return all;
}

std::string read_all(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes;
  std::array<char, 4096> part;
  for (ssize_t n; file && (n = ::read(file.get(), part.data(), part.size())) != 0;) {
    if (n > 0) {
      bytes.append(part.data(), static_cast<size_t>(n));
    } else if (errno != EINTR) {
      break;
    }
  }
  return bytes;
}

// The kernel closes the descriptor shortly before it places the new program's environment.
Environment environment_of(pid_t program) {
  constexpr int tries = 200;
  for (int i = 0; i < tries; ++i) {
    const std::string bytes = read_all(fmt::format("/proc/{}/environ", program));
    if (!bytes.empty()) return parse_environment(bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

void wait_for_end_of(int fd) {
  char none = 0;
  while (::read(fd, &none, 1) < 0 && errno == EINTR) continue;
}

}  // namespace

std::string container_plugin_below() {
  std::vector<std::string> libraries;
  ::dl_iterate_phdr(list_library, &libraries);
  Dl_info us = {};
  ::dladdr(reinterpret_cast<const void*>(&container_plugin_below), &us);
  bool below = false;
  for (const std::string& library : libraries) {
    if (us.dli_fname != nullptr && library == us.dli_fname) {
      below = true;
    } else if (below) {
      const std::string name = plugin_in(library);
      for (const std::string_view each : container_plugins)
        if (name == each) return name;
    }
  }
  return "";
}

std::vector<std::string> names_to_keep(const Arguments& arguments, const Environment& environment) {
  if (::geteuid() == 0) require_of_root(arguments.profile_path);
  const NodeProfile profile = load_node_profile(arguments.profile_path);
  std::set<std::string> names;
  for (const bool several_nodes : {false, true}) {
    for (const Advice& each :
         collect_advice(profile, {arguments.variables, several_nodes, /*watch=*/true}).advice) {
      if (!each.prepend) names.insert(each.name);
    }
  }
  write_names(profile.transport.without_profile, names);
  for (const auto& [name, value] : environment) {
    if (name.starts_with("NCCL_")) names.insert(name);
  }
  if (!arguments.environment_plugin.empty()) names.insert("NCCL_ENV_PLUGIN");
  return {names.begin(), names.end()};
}

void watch_start(
    const std::function<void(const Environment& seen, const std::string& root)>& look) {
  const pid_t program = ::getpid();
  Pipe started = make_pipe();  // both ends close when the program starts
  const pid_t child = fork_child("the look at the program's environment");
  if (child > 0) {
    started.write.release();  // closed by execve
    wait_for_child(child);
    return;
  }
  // The program must not find a child process that it did not start.
  if (::fork() != 0) ::_exit(0);
  started.write.reset();
  wait_for_end_of(started.read.get());
  const Environment seen = environment_of(program);
  if (!seen.empty()) look(seen, fmt::format("/proc/{}/root", program));
  ::_exit(0);
}

}  // namespace slipway::nccl_env
