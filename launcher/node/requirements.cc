// What the programs on a compute node need from it.
#include "launcher/node/requirements.h"

#include <fmt/core.h>
#include <glob.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/node_profile.h"
#include "common/process_stat.h"
#include "common/text.h"
#include "launcher/node/container_requirements.h"
#include "launcher/node/open_mpi.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

using State = Requirement::State;

constexpr const char* guide = "docs/start/existing-slurm.md";

// Whether each slurmd has loaded a plugin; empty if none can be asked. It loads plugins when it
// starts, and since Slurm 23.11 also when it reads its configuration again.
std::optional<bool> slurmd_has_loaded(const fs::path& proc, const std::string& plugin) {
  std::optional<bool> all;
  for (const pid_t pid : processes_named("slurmd", proc)) {
    const fs::path process = proc / std::to_string(pid);
    struct stat info = {};
    if (::stat(process.c_str(), &info) != 0 || info.st_uid != 0) continue;
    try {
      const std::string maps = read_file(process / "maps");
      if (maps.empty()) continue;  // it has ended, but its parent does not know yet
      all = all.value_or(true) && maps.find("/" + plugin + "\n") != maps.npos;
    } catch (const Error&) {
      // It has just ended.
    }
  }
  return all;
}

double in_gib(int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 30);
}

class Node {
 public:
  explicit Node(fs::path root) : root_(std::move(root)) {}

  std::vector<Requirement> all() {
    slurm();
    plugins();
    read_profile();
    health();
    if (profile_ && profile_->gpus.count > 0) gpus();
    if (profile_) transport(profile_->transport);
    if (profile_ && profile_->target == "google") google();
    return std::move(all_);
  }

 private:
  Requirement& add(Requirement one) { return all_.emplace_back(std::move(one)); }

  void file(const fs::path& path, std::string purpose, Needed needed, std::string remedy) {
    const bool is_there = ::access((root_ / path.relative_path()).c_str(), R_OK) == 0;
    add({path.string(), std::move(purpose), is_there ? State::ok : lacks(needed), "", "",
         std::move(remedy)});
  }

  void slurm() {
    add(slurm_release_required());
    add(program_required("/usr/bin/scontrol", "drains, resumes and requeues", "slurm-client"));
    add(program_required("/usr/bin/squeue", "tells the prolog about its job", "slurm-client"));
    file("/run/munge/munge.socket.2", "authenticates jobs and bandwidth tests", Needed::always,
         "start munged (package munge)");
    add(library_required("libpmix.so.2", "MPI programs under slipway launch", "libpmix2",
                         Needed::sometimes));
    open_mpi();
  }

  void open_mpi() {
    const fs::path file = root_ / fs::path(open_mpi_settings).relative_path();
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return;
    Requirement& one = add({open_mpi_settings, "Open MPI's settings", State::ok});
    if (!reach_other_nodes(read_file(file))) return;
    one.state = State::warning;
    one.found = "btl_tcp_if_include has the loopback interface alone";
    one.remedy = "drop that line: ranks on two nodes do not find each other";
  }

  void plugins() {
    const Installation installation = find_installation();
    Requirement& prefix = add({"the prefix " + std::string(node_prefix), "job scripts name it",
                               State::ok, installation.prefix.string()});
    std::error_code ignored;
    if (!fs::equivalent(installation.prefix, node_prefix, ignored)) {
      prefix.state = State::warning;
      prefix.remedy = fmt::format("install with --prefix={}", node_prefix);
    }
    const std::string configured = plugstack();
    const fs::path container = installation.spank_plugins() / "container.so";
    for (Requirement& one : container_requirements(configured, container, root_)) {
      add(std::move(one));
    }
    const std::string checks_jobs = "node_health.so";
    for (const std::string& name : {std::string("nccl_env.so"), checks_jobs}) {
      const fs::path plugin = installation.spank_plugins() / name;
      Requirement& one =
          add({name, "a SPANK plugin, which plugstack.conf names", State::ok, plugin.string()});
      if (::access(plugin.c_str(), R_OK) != 0) {
        one.state = State::missing;
        one.found = "no file " + plugin.string();
        one.remedy = "install Slipway on this node";
      } else if (configured.find(name) == configured.npos) {
        one.state = State::warning;
        one.found = "/etc/slurm/plugstack.conf does not name it";
        one.remedy = guide;
      } else if (name == checks_jobs && slurmd_has_loaded(root_ / "proc", name) == false) {
        one.state = State::warning;
        one.found = "slurmd started before plugstack.conf named it, so no job is checked";
        one.remedy = "restart slurmd; jobs go on";
      }
    }
  }

  // The text of plugstack.conf with the files that it includes.
  std::string plugstack() const {
    const fs::path file = root_ / "etc/slurm/plugstack.conf";
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return {};
    std::string text = read_file(file);
    for (const std::string& line : split(std::string(text), '\n')) {
      if (!line.starts_with("include ")) continue;
      glob_t found = {};
      if (::glob(std::string(trim(line.substr(8))).c_str(), 0, nullptr, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; ++i) text += read_file(found.gl_pathv[i]);
      }
      ::globfree(&found);
    }
    return text;
  }

  void read_profile() {
    Requirement& one = add({std::string(node_profile_path),
                            "describes the node to plugins, health checks and bandwidth tests"});
    try {
      profile_ = load_node_profile(root_ / fs::path(node_profile_path).relative_path());
      one.found = fmt::format("{}, {}, transport {}", profile_->role,
                              counted(static_cast<size_t>(profile_->gpus.count), "GPU"),
                              profile_->transport.name);
    } catch (const Error& error) {
      one.state = State::missing;
      one.found = error.what();
      one.remedy = fmt::format("Slipway writes it on clusters it deploys; on others: {}", guide);
    }
  }

  void health() {
    Requirement& log = add({"/dev/kmsg", "health checks look for Xids in the kernel's log"});
    if (::access((root_ / "dev/kmsg").c_str(), R_OK) != 0) {
      log.state = State::warning;
      log.found = ::geteuid() == 0 ? "not there" : "you may not read it";
      log.remedy = "run this as root, as health checks do";
    }
    add(program_required("/usr/bin/dcgmi", "slipway health --stage deep", "", Needed::sometimes))
        .remedy = "install NVIDIA's datacenter-gpu-manager";
  }

  void gpus() {
    const char* const driver = "install NVIDIA's driver";
    add(library_required("libnvidia-ml.so.1", "health checks read GPUs through NVML", "")).remedy =
        driver;
    // Where GPUs are simulated, there is NVML without CUDA.
    add(library_required("libcuda.so.1", "jobs, and the computation of deep checks", "",
                         Needed::sometimes))
        .remedy = driver;
    add(library_required("libnccl.so.2", "bandwidth tests; containers bring their own", "",
                         Needed::sometimes))
        .remedy = "install NVIDIA's libnccl2";
    std::vector<std::string> lost;
    for (const std::string& device : profile_->gpus.devices) {
      if (!fs::exists(root_ / fs::path(device).relative_path())) lost.push_back(device);
    }
    Requirement& devices = add({"GPU devices", "the GPUs of the node profile", State::ok,
                                fmt::format("{}", profile_->gpus.devices.size())});
    if (lost.empty()) return;
    devices.state = State::missing;
    devices.found = "no " + join(lost, ", ");
    devices.remedy = driver;
  }

  void transport(const NodeTransport& transport) {
    for (const std::string& name : transport.libraries.names) {
      file(fs::path(transport.libraries.folder) / name, "the transport " + transport.name,
           Needed::always, "the image of the machine type has it; docs/guides/nccl.md");
    }
    if (!transport.vendor_profile.path.empty()) {
      file(transport.vendor_profile.path, "the vendor's settings for NCCL", Needed::sometimes,
           "without it, Slipway sets its own");
    }
    if (!transport.daemon.images.empty()) {
      add(program_required("/usr/bin/docker", "runs the daemon " + transport.daemon.name,
                           "docker.io"));
    }
    limits(transport.limits);
  }

  void limits(const NodeTransport::Limits& limits) {
    rlimit memlock = {};
    if (limits.memlock_bytes > 0 && ::getrlimit(RLIMIT_MEMLOCK, &memlock) == 0) {
      Requirement& one = add({"locked memory", "NCCL registers buffers with the interfaces"});
      if (memlock.rlim_cur < static_cast<rlim_t>(limits.memlock_bytes)) {
        one.state = State::warning;
        one.found = fmt::format("{:.3g} GiB in this shell, {:.3g} GiB needed",
                                in_gib(static_cast<int64_t>(memlock.rlim_cur)),
                                in_gib(limits.memlock_bytes));
        one.remedy = "LimitMEMLOCK=infinity for slurmd";
      }
    }
    struct statvfs shared = {};
    if (limits.dev_shm_bytes > 0 && ::statvfs((root_ / "dev/shm").c_str(), &shared) == 0) {
      const auto bytes = static_cast<int64_t>(shared.f_blocks * shared.f_frsize);
      Requirement& one = add({"/dev/shm", "ranks of a node share memory", State::ok,
                              fmt::format("{:.3g} GiB", in_gib(bytes))});
      if (bytes < limits.dev_shm_bytes) {
        one.state = State::missing;
        one.remedy = fmt::format("at least {:.3g} GiB", in_gib(limits.dev_shm_bytes));
      }
    }
  }

  void google() {
    add(program_required("/usr/bin/curl", "asks the metadata server", "curl"));
    add(program_required("/usr/sbin/nft", "keeps users from the metadata server", "nftables"));
    add(program_required("/sbin/mkfs.ext4", "makes the file system of local SSDs", "e2fsprogs"));
  }

  fs::path root_;
  std::optional<NodeProfile> profile_;
  std::vector<Requirement> all_;
};

}  // namespace

std::vector<Requirement> requirements(const fs::path& root) {
  return Node(root).all();
}

}  // namespace slipway::node
